"""What words state without a model: a document and its mentions in, facts about each mention out.

Facts are a mention's head, lemma, names, numbers, amounts, dates and countries, and its place in the text. Two mentions
whose facts conflict cannot corefer; what two mentions' facts have in common are the features of the pair.
"""

from cdcoref.language.amounts import NUMERALS, SCALES, TENS, amounts_in, number_named, whole_figures
from cdcoref.language.casing import in_sentence_case, is_common_word
from cdcoref.language.countries import countries_named
from cdcoref.language.dates import MONTHS, WEEKDAYS, date_name, is_date, is_date_name
from cdcoref.language.document_dates import BEFORE_OTHER_DAYS, BEGINNING, date_of, day_in, day_in_name
from cdcoref.language.english import remarks_on_language
from cdcoref.language.fact_tables import FactTables, WordSets
from cdcoref.language.first_names import gender_of_first_name
from cdcoref.language.header_lines import (
    HEADER_LINES,
    byline_author,
    is_date_line,
    is_header_line,
    is_line_of_writers,
)
from cdcoref.language.mention_facts import LastWord, MentionFacts, last_word, mention_facts, mention_words
from cdcoref.language.pair_features import FEATURES, check_features, conflicts, pair_features
from cdcoref.language.quotations import quotations
from cdcoref.language.stated_facts import (
    MEN_AND_WOMEN,
    NO_FACTS,
    PERSON,
    TITLES,
    StatedFacts,
    are_forms_of_one_name,
    different_names,
    in_conflict,
    may_be_surname,
)
from cdcoref.language.swapped_genders import with_genders_swapped
from cdcoref.language.word_sets import word_set
from cdcoref.language.words import (
    PRONOUNS,
    MentionWords,
    continues_phrase,
    head_span,
    head_word,
    is_relative_pronoun,
    lemma,
    name_of,
)

__all__ = [
    "BEFORE_OTHER_DAYS",
    "BEGINNING",
    "FEATURES",
    "HEADER_LINES",
    "MEN_AND_WOMEN",
    "MONTHS",
    "NO_FACTS",
    "NUMERALS",
    "PERSON",
    "PRONOUNS",
    "SCALES",
    "TENS",
    "TITLES",
    "WEEKDAYS",
    "FactTables",
    "LastWord",
    "MentionFacts",
    "MentionWords",
    "StatedFacts",
    "WordSets",
    "amounts_in",
    "are_forms_of_one_name",
    "byline_author",
    "check_features",
    "conflicts",
    "continues_phrase",
    "countries_named",
    "date_name",
    "date_of",
    "day_in",
    "day_in_name",
    "different_names",
    "gender_of_first_name",
    "head_span",
    "head_word",
    "in_conflict",
    "in_sentence_case",
    "is_common_word",
    "is_date",
    "is_date_line",
    "is_date_name",
    "is_header_line",
    "is_line_of_writers",
    "is_relative_pronoun",
    "last_word",
    "lemma",
    "may_be_surname",
    "mention_facts",
    "mention_words",
    "name_of",
    "number_named",
    "pair_features",
    "quotations",
    "remarks_on_language",
    "whole_figures",
    "with_genders_swapped",
    "word_set",
]
