-- The tables of a collection. A change of them gets a new COLLECTION_VERSION.

CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE stories (number INTEGER PRIMARY KEY AUTOINCREMENT);

CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    content BLOB NOT NULL,    -- hash of the words, sentences and given mentions
    source TEXT,              -- the file of a plain text
    given INTEGER NOT NULL,   -- whether it came with its mentions
    story INTEGER NOT NULL REFERENCES stories,
    added TEXT NOT NULL,
    text TEXT NOT NULL,
    fields TEXT NOT NULL,     -- the rest of the document, as JSON
    share REAL NOT NULL,      -- for how much of a document it counts in how rare words are
    words BLOB NOT NULL       -- hashes of its words and how much each weighs: its vector
);
CREATE INDEX documents_by_story ON documents (story);
CREATE INDEX documents_by_content ON documents (content);
CREATE INDEX documents_by_source ON documents (source);

CREATE TABLE copies (
    document INTEGER PRIMARY KEY,   -- kept while it is removed
    text INTEGER NOT NULL           -- the same for near-duplicates
);
CREATE INDEX copies_by_text ON copies (text);

CREATE TABLE subjects (
    story INTEGER PRIMARY KEY REFERENCES stories,
    subject INTEGER NOT NULL  -- the same for stories about one subject
);
CREATE INDEX subjects_by_number ON subjects (subject);

CREATE TABLE mentions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents,
    place INTEGER NOT NULL,   -- position among the document's mentions, from 0
    tokens TEXT NOT NULL,
    kind TEXT,
    words TEXT NOT NULL,
    found REAL,               -- the confidence with which it came
    source_id TEXT,
    tag TEXT,
    rejected INTEGER NOT NULL DEFAULT 0,
    cluster INTEGER REFERENCES clusters,
    origin INTEGER,           -- the first cluster it was in
    confidence REAL
);
CREATE UNIQUE INDEX mentions_by_place ON mentions (document, place);
CREATE INDEX mentions_by_cluster ON mentions (cluster);

CREATE TABLE left_out (       -- mentions with which documents came, of the kind that the collection does not link
    document INTEGER NOT NULL REFERENCES documents,
    tokens TEXT NOT NULL,
    kind TEXT NOT NULL,
    found REAL,               -- as in mentions
    source_id TEXT,
    tag TEXT
);
CREATE INDEX left_out_by_document ON left_out (document);

CREATE TABLE vectors (
    document INTEGER PRIMARY KEY REFERENCES documents,
    packed BLOB NOT NULL      -- of its mentions, when it was read alone
);

CREATE TABLE scores (
    first INTEGER NOT NULL REFERENCES documents,
    second INTEGER NOT NULL REFERENCES documents,
    logits BLOB NOT NULL      -- places of the two mentions and the logit of every pair that was compared
);
CREATE UNIQUE INDEX scores_by_documents ON scores (first, second);
CREATE INDEX scores_by_second ON scores (second);

CREATE TABLE clusters (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT,
    name TEXT,                -- what somebody named it
    title TEXT NOT NULL,      -- its label, see cdcoref.reports.labels
    story INTEGER,
    mentions INTEGER NOT NULL,
    documents INTEGER NOT NULL,
    confidence REAL,
    merged_into INTEGER       -- the cluster that its mentions are in now
);
CREATE INDEX clusters_by_size ON clusters (documents DESC, mentions DESC);
CREATE INDEX clusters_by_story ON clusters (story);
CREATE INDEX clusters_by_name ON clusters (name) WHERE name IS NOT NULL;
CREATE INDEX clusters_merged ON clusters (merged_into);

CREATE TABLE facts (               -- what people state of an event
    cluster INTEGER NOT NULL REFERENCES clusters,
    fact TEXT NOT NULL,            -- day, place
    value TEXT NOT NULL,
    PRIMARY KEY (cluster, fact)
) WITHOUT ROWID;

CREATE TABLE corrections (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    action TEXT NOT NULL,
    mentions TEXT NOT NULL,   -- content, tokens, kind and words of each, as JSON
    apart TEXT NOT NULL,      -- those of which the first must be kept apart
    cluster INTEGER,
    name TEXT,
    undone TEXT
);
CREATE INDEX corrections_by_cluster ON corrections (cluster);
CREATE TABLE corrected (
    content BLOB NOT NULL,
    correction INTEGER NOT NULL REFERENCES corrections,
    PRIMARY KEY (content, correction)
) WITHOUT ROWID;
CREATE TABLE checked (
    mention INTEGER PRIMARY KEY REFERENCES mentions   -- people said that it is the same as another
);
CREATE TABLE acts (           -- corrections in the order in which they were made, and made again
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    correction INTEGER NOT NULL REFERENCES corrections
);
CREATE INDEX acts_by_correction ON acts (correction);
CREATE TABLE outcomes (
    correction INTEGER PRIMARY KEY REFERENCES corrections,
    moves TEXT NOT NULL,      -- what became of clusters when it was made or undone
    notes TEXT NOT NULL,
    former TEXT NOT NULL      -- what was before
);

CREATE TABLE questions (
    story INTEGER NOT NULL,
    first INTEGER NOT NULL,
    second INTEGER NOT NULL,
    together INTEGER NOT NULL,
    probability REAL NOT NULL,
    doubt REAL NOT NULL
);
CREATE INDEX questions_by_doubt ON questions (doubt DESC);
CREATE INDEX questions_by_story ON questions (story);

CREATE VIRTUAL TABLE document_words USING fts5(
    text, content = 'documents', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE mention_words USING fts5(
    words, content = 'mentions', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE TRIGGER document_added AFTER INSERT ON documents BEGIN
    INSERT INTO document_words (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER document_removed AFTER DELETE ON documents BEGIN
    INSERT INTO document_words (document_words, rowid, text) VALUES ('delete', old.number, old.text);
    DELETE FROM mentions WHERE document = old.number;
    DELETE FROM scores WHERE first = old.number OR second = old.number;
    DELETE FROM vectors WHERE document = old.number;
    DELETE FROM left_out WHERE document = old.number;
END;
CREATE TRIGGER mention_added AFTER INSERT ON mentions BEGIN
    INSERT INTO mention_words (rowid, words) VALUES (new.number, new.words);
END;
CREATE TRIGGER mention_removed AFTER DELETE ON mentions BEGIN
    INSERT INTO mention_words (mention_words, rowid, words) VALUES ('delete', old.number, old.words);
    DELETE FROM checked WHERE mention = old.number;
END;

-- What people look at, see cdcoref.collection.records.
CREATE VIEW cluster_summaries AS
    SELECT number, kind, coalesce(name, title) AS title, name, mentions, documents, confidence, story,
        (SELECT count(*) FROM mentions JOIN checked ON checked.mention = mentions.number
            WHERE mentions.cluster = clusters.number) AS checked
    FROM clusters;
CREATE VIEW document_summaries AS
    SELECT number, id, story, added, text,
        (SELECT count(*) FROM mentions WHERE mentions.document = documents.number AND NOT rejected) AS mentions,
        json_extract(fields, '$.metadata') AS metadata
    FROM documents;
CREATE VIEW mention_summaries AS
    SELECT mentions.number, mentions.cluster, mentions.rejected,
        mentions.number IN (SELECT mention FROM checked) AS checked,
        mentions.confidence, mentions.tokens, mentions.kind, documents.id, mentions.document, mentions.place
    FROM mentions JOIN documents ON documents.number = mentions.document;
-- Documents without words are no story. The length of a blob is known without reading it: few documents are read.
CREATE VIEW documents_with_words AS
    SELECT number, story FROM documents WHERE length(words) > 0 OR json_array_length(fields, '$.tokens') > 0;
CREATE VIEW counts AS
    SELECT (SELECT count(*) FROM documents) AS documents,
        (SELECT count(DISTINCT story) FROM documents_with_words) AS stories,
        coalesce(sum(mentions), 0) AS mentions, count(*) AS clusters, coalesce(sum(documents > 1), 0) AS across,
        coalesce(sum(mentions = 1), 0) AS singletons,
        (SELECT count(*) FROM corrections WHERE undone IS NULL) AS corrections
    FROM clusters WHERE mentions > 0;
CREATE VIEW corrected_documents AS  -- with a mention that a correction names which holds
    SELECT DISTINCT documents.id FROM documents JOIN corrected ON corrected.content = documents.content
    JOIN corrections ON corrections.number = corrected.correction
    WHERE corrections.undone IS NULL AND action NOT IN ('join-stories', 'split-story', 'move-document', 'rename-story');
CREATE VIEW first_documents_about AS  -- the first document of every other story about the subject of a story
    SELECT own.story, min(documents.number) AS document FROM subjects AS own
    JOIN subjects AS other ON other.subject = own.subject AND other.story != own.story
    JOIN documents ON documents.story = other.story GROUP BY own.story, documents.story;
CREATE VIEW ranked_questions AS  -- those first that change most: by their doubt and the documents of their clusters
    SELECT first, second, together, probability FROM questions
    ORDER BY doubt * (SELECT sum(documents) FROM clusters WHERE number IN (
        SELECT cluster FROM mentions WHERE mentions.number IN (first, second))) DESC, first, second;

-- Stories that corrections tie to a story, or that are about its subject.
CREATE VIEW ties AS
    SELECT own.story, other.story AS other FROM subjects AS own JOIN subjects AS other ON other.subject = own.subject
    UNION ALL
    SELECT own.story, theirs.story FROM documents AS own
    JOIN corrected AS one ON one.content = own.content
    JOIN corrections ON corrections.number = one.correction AND corrections.undone IS NULL
        AND corrections.action IN ('same', 'split', 'move')
    JOIN corrected AS other ON other.correction = one.correction
    JOIN documents AS theirs ON theirs.content = other.content;
-- What can be corrected: mentions of clusters, and documents of stories.
CREATE VIEW mentions_to_correct AS
    SELECT mentions.number, documents.id, mentions.words, content, tokens, mentions.kind, rejected, cluster AS whole
    FROM mentions JOIN documents ON documents.number = mentions.document ORDER BY document, place;
CREATE VIEW documents_to_correct AS
    SELECT number, id, id AS words, content, NULL AS tokens, NULL AS kind, 0 AS rejected, story AS whole
    FROM documents ORDER BY number;
-- Copies of a text, the original first.
CREATE VIEW ordered_copies AS
    SELECT copies.text, document FROM copies JOIN documents ON number = document
    ORDER BY length(documents.text) DESC, number;
