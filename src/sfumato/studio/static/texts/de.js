// Alle Texte der Seite auf Deutsch; texts/en.js hat dieselben Schlüssel.
export default {
  shell: { stays: "bleibt auf diesem Rechner", screens: "Ansichten", undo: "Zurück", redo: "Wieder" },
  columns: { name: "Spalten", title: "Was steht in jeder Spalte?" },
  choose: { name: "Wählen", title: "Wie sicher, zu welchem Preis?" },
  handout: { name: "Herausgeben", title: "Was Sie herausgeben" },
  panel: { title: "Dasselbe als Regelwerk, Befehl und Python", policy: "Regelwerk", command: "Befehl", python: "Python" },
  running: { title: "Arbeit läuft", cancel: "Abbrechen", profile: "Die Spalten werden angesehen", make: "Die Freigabe entsteht", warm: "Übersetzen" },
  failure: { close: "Schließen" },
  trouble: {
    gone: { title: "Das Studio antwortet nicht", text: "Das Programm ist beendet, oder die Verbindung ist weg. Neu starten: sfumato studio" },
    locked: { title: "Diese Seite ist verschlossen", text: "Öffnen Sie die Adresse, die im Terminal steht. Sie gilt einmal." },
    "open-elsewhere": { title: "Das Studio ist in einem anderen Tab offen", text: "Nur ein Tab kann an einer Tabelle arbeiten. Machen Sie dort weiter, oder schließen Sie ihn und laden Sie diesen neu." },
    closed: { title: "Geschlossen und gelöscht", text: "Von der Tabelle ist hier nichts mehr übrig. Sie können den Tab schließen." },
  },
};
