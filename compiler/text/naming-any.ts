import { generatedStem } from './generated-stem.ts';

/** What names are written between, in YAML and JSON. */
const WORD = /[^\s"'`,{}[\]]+/g;
const DELIMITER = /[\s"'`,{}[\]]/;
/** A name that a generator has made is no longer. */
const LONGEST_NAME = 253;

/**
 * A test for texts of manifests: whether an object of one of these names, or one that a generator has made of the same name, may be in it.
 * A text is split into words once, however many names there are.
 */
export function namingAny(names: readonly string[]): (text: string) => boolean {
  const stems = new Set(names.map((name) => generatedStem(name) ?? name));
  // Some kinds have names that are more than a word.
  const parts = [...stems].filter((stem) => DELIMITER.test(stem));
  return (text) => {
    if (parts.some((part) => text.includes(part))) return true;
    for (const [word] of text.matchAll(WORD)) {
      if (stems.has(word)) return true;
      if (word.length <= LONGEST_NAME && stems.has(generatedStem(word) ?? word)) return true;
    }
    return false;
  };
}
