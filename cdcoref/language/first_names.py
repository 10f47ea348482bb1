"""First names that say whether somebody is a man or a woman: a first name in, the gender out.

Only names that are nearly always of one gender in English texts are here; names of both ("Robin", "Andrea", "Kim") are
not, nor are names that are more often those of places ("Virginia").
"""

from __future__ import annotations

_WOMEN = """
abigail ada agatha agnes aisha alice alicia alison amanda amelia amy angela anita ann anna anne annette antonia astrid
audrey barbara beatrice beatrix belinda bella bernadette betsy betty birgit bridget brigitte camilla carla carmen
carolina caroline cassandra catherine cathy cecilia celia charlene cheryl christina christine cindy claire clara
claudia colleen cordelia cynthia daisy daniela daphne debbie deborah debra denise diana diane donna dora doris
dorothea dorothy edith edna eileen elaine eleanor elena elisa elisabeth eliza elizabeth ella ellen elsa emily emma
erica erika esther ethel eugenia eva evelina fatima felicity fiona frances francesca frida gabriela gabriella gail
genevieve geraldine gertrude gina gisela giulia gloria greta gretchen gwen gwendolyn hannah harriet heather heidi
helen helena helga henrietta hermione hilda hillary ida ilse imogen ines inga ingrid irena irene irina iris irma
isabel isabella isabelle ivana jacqueline jane janet janice jasmine jeanette jennifer jenny jessica jill joanna joanne
johanna josephine joyce juanita judith judy julia juliana julie juliet karen karin kate katherine kathleen kathryn
kathy katie katrin katrina kirsten kristen kristina larissa latoya laura lauren lena leonora leticia letitia linda
lisa lois lorraine louisa louise lucia lucille lucinda lucy lydia mabel madeleine magdalena maggie maia mandy manuela
marcia margaret margarita margot maria marianne marie marilyn marina marjorie marta martha mary mathilde matilda maud
maureen maya melanie melinda melissa meredith michelle mildred millicent minnie miranda miriam molly monica monique
muriel myra nadia nancy naomi natalia natalie natasha nellie nicole nina nora norma olga olivia ophelia pamela
patricia paula pauline peggy penelope petra philippa phoebe phyllis polly priscilla rachel raquel rebecca regina
renata renate rita roberta rosa rosalie rosalind rosamond rosanna rosemary rosie roxanne ruth sabine sabrina sadie
sally samantha sandra sara sarah selma serena sharon sheila shirley sigrid silvia sofia sofie sonia sophia sophie
stella stephanie susan susanna susanne suzanne svetlana sylvia tamara tammy tanya tatiana teresa tess tessa thelma
theresa therese tina trudy ulrike ursula valentina valerie vanessa vera verena veronica viola virginie vivien wanda
wendy wilhelmina wilma winifred yolanda yvette yvonne zelda zoe
"""
_MEN = """
aaron abdul abraham adam adolf adrian ahmad ahmed alan albert alberto alejandro alessandro alexander alexei alfonso
alfred ali allan allen alvin ambrose anatoly anders andreas andrei andrew andy angus anselm anthony antoine anton
antonio archibald armand arnold arthur augustus axel barack barnaby barry bartholomew basil ben benedict benjamin
bernard bernhard bert bill billy bjorn bob bobby boris bradley brendan brian bruce bruno carl carlo carlos cedric
cesar charles charlie christian christoph christopher claus clement clifford clive conrad constantine cornelius craig
curtis cyril damian dan daniel darren darryl dave david dennis derek diego dieter dimitri dirk dmitri dominic donald
doug douglas duncan dustin ebenezer eddie edgar edmond edmund eduardo edward edwin eli elias elliot emil emilio
emmanuel enrico enrique eric erik ernest ernesto erwin eugene evgeny ezra fabian federico felipe ferdinand fernando
fidel filippo floyd francesco francisco francois frank franklin franz fred frederick friedrich fritz gareth gary
gaston gavin geoff geoffrey george gerald gerard gerhard giacomo gianni gilbert giorgio giovanni giuseppe glenn
godfrey gordon graham greg gregor gregory guido guillermo gunter gunther gus gustav hamid hans harold harry hasan
hassan hector heinrich heinz helmut henri henry herbert herman hermann homer horace horatio howard hubert hugh hugo
humphrey ian ibrahim ignacio igor isaac ismail ivan jack jacob jacques jaime jake james jason javier jebediah jeff
jeffrey jens jeremiah jeremy jerome jerry jim jimmy joachim joe joel johan johann johannes john johnny jonah jonas
jonathan jorge jose josef joseph joshua josiah juan julian julio jurgen justin karl keith ken kenneth kevin klaus
konrad kurt lance lars laurence lawrence leo leon leonard leonardo leopold leroy lionel lorenzo lothar louis luca
lucas luigi luis lukas luke magnus mahmoud malcolm manuel marc marcel marco marcus mario mark markus martin marvin
mathias matthew matthias maurice max maximilian michael miguel mike mikhail miles milton mitchell mohamed mohammad
mohammed moses muhammad murray nasser nathan nathaniel ned neil nelson nicholas nicolas nigel nikolai nils norbert
norman olaf oleg oliver omar oscar oskar osman otto owen pablo patrick paul pavel pedro pekka per percival percy pete
peter philip philippe phillip pierre rafael rainer ralph ramon randall randolph randy raul raymond reginald reinhard
rene reuben ricardo richard rick rob robert roberto rodney rodolfo rodrigo roger roland rolf roman ron ronald rory
ross rudolf rudolph rufus rupert russell salvatore samuel saul scott sebastian sergei sergio seth seymour sigmund
silas simon solomon spencer stanislav stanley stefan stephan stephen steve steven stewart stuart sven sylvester ted
terence thaddeus theodore thomas thorsten tim timothy tobias tom tomas tommy tony trevor tristan umberto uwe vaclav
victor viktor vince vincent vincenzo vladimir waldo walter warren wayne werner wilbur wilfred wilhelm will william
willie winston wolfgang yuri zachary
"""
_ALSO_SURNAMES = """
abdul abraham ada adam ahmad ahmed alexandra ali allan allen anthony antonio arthur bernard bradley bruce bruno carlo
carlos charles christian clement clifford craig curtis daniel david della dennis diego donald douglas duncan eduardo
edward elliot emmanuel fabian frances francis frank franklin frederick gail george gerard gilbert glenn gordon grace
graham gregory harold harriet hassan henry herbert herman howard hubert hugo ibrahim isaac isabella jack jacob james
jason jerome joel john joseph joyce juan julian keith lance laura lawrence leonard louis lucas lucia luke manuel marco
marina mario mark martin matthias max michael miles milton mitchell mohamed mohammed murray nasser nathan nelson
nicholas norma norman olivia omar oscar osman otto owen patrick paul percy peter philip ralph randall raymond regina
reuben richard robert roger roland roman rosa ross rudolph russell saul scott simon solomon spencer stanley stella
stephen stewart stuart sylvia theodore thomas tobias ursula valentina victor vincent walter warren wayne william
winston
"""
_GENDER = {**dict.fromkeys(_WOMEN.split(), "woman"), **dict.fromkeys(_MEN.split(), "man")}
_SURNAMES = frozenset(_ALSO_SURNAMES.split())


def gender_of_first_name(name: str, *, alone: bool = False) -> str:
    """``"man"`` or ``"woman"``; empty if the first name does not say it.

    Parameters
    ----------
    name
        In lower case, without accents.
    alone
        Whether it stands without a surname, and may be one itself.

    >>> gender_of_first_name("paula"), gender_of_first_name("robin"), gender_of_first_name("james", alone=True)
    ('woman', '', '')
    """
    return "" if alone and name in _SURNAMES else _GENDER.get(name, "")


def name_of_other_gender(name: str) -> str:
    """A first name for another person, of the other gender; empty if the name does not say its own.

    Parameters
    ----------
    name
        In lower case, without accents.

    >>> name_of_other_gender("paula"), name_of_other_gender("robin")
    ('osman', '')
    """
    gender = _GENDER.get(name)
    if gender is None:
        return ""
    own, others = (_WOMEN.split(), _MEN.split()) if gender == "woman" else (_MEN.split(), _WOMEN.split())
    return others[own.index(name) * len(others) // len(own)]
