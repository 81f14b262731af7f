// Words that the C++ grammar does not know, and the pointers that the exercise gives.
import { Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";
import { syntaxTree } from "@codemirror/language";

const WORDS = /\b(?:__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/g;

const isText = (view, at) => /Comment|String|Preproc/.test(syntaxTree(view.state).resolveInner(at, 1).name);

// Marks what matches, except in comments and strings.
const marker = (regexp, classOf) => {
  const words = new MatchDecorator({
    regexp,
    decoration: (match, view, at) => (isText(view, at) ? null : Decoration.mark({ class: classOf(match[0]) })),
  });
  return ViewPlugin.fromClass(
    class {
      constructor(view) { this.decorations = words.createDeco(view); }
      update(update) {
        // The grammar may have caught up with the text meanwhile.
        const parsed = syntaxTree(update.startState) !== syntaxTree(update.state);
        this.decorations = parsed ? words.createDeco(update.view) : words.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
};

export const cuda = marker(WORDS, (word) => (word.startsWith("__") ? "tok-cuda" : "tok-builtin"));

// Pointers to global memory have its colour and a solid line; their names come from the exercise's signature.
export const pointers = (names) => {
  const plain = names.filter((name) => /^\w+$/.test(name));
  return plain.length ? marker(new RegExp(`\\b(?:${plain.join("|")})\\b`, "g"), () => "tok-global") : [];
};
