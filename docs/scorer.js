// How the search of the site ranks pages: what a word means comes before where it is used.
"use strict";

const EXPLAINING = { "docs/glossary": 12, "docs/explanation/gdpr": 12 };

var Scorer = {
  score: ([docname, , , , score]) => score + (EXPLAINING[docname] || 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
