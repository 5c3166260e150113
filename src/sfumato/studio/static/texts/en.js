// Every text of the page, in English. texts/de.js has the same keys.
export default {
  shell: { stays: "stays on this machine", screens: "Screens", undo: "Undo", redo: "Redo" },
  columns: { name: "Columns", title: "What is in each column?" },
  choose: { name: "Choose", title: "How safe, at what price?" },
  handout: { name: "Hand out", title: "What you hand out" },
  panel: { title: "The same as policy, command line and Python", policy: "Policy", command: "Command line", python: "Python" },
  running: { title: "Work in progress", cancel: "Cancel", profile: "Looking at the columns", make: "Making the release", warm: "Compiling" },
  failure: { close: "Close" },
  trouble: {
    gone: { title: "The studio does not answer", text: "The program has ended, or the connection to it is lost. Start it again: sfumato studio" },
    locked: { title: "This page is locked", text: "Open the address that the terminal shows. It works once." },
    "open-elsewhere": { title: "The studio is open in another tab", text: "Only one tab can work on a table. Go on in the other tab, or close it and reload this one." },
    closed: { title: "Closed and erased", text: "Nothing of the table is left here. You can close this tab." },
  },
};
