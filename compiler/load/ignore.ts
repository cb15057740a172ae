import { withoutTrailing } from '../../semantics/values/text.ts';
/** The patterns of `ignore` in kruise.yaml, and which of them matched so far. Paths are relative to the folder of kruise.yaml. */
export interface IgnoreList {
  /** Whether a file or folder is ignored by itself. */
  has(path: string): boolean;
  /** The first pattern by which a path, or a folder above it, is ignored; undefined if none. */
  covers(path: string): string | undefined;
  /** The indexes of patterns that matched nothing, of those that can match below one of the paths. */
  unused(paths: readonly string[]): number[];
}

interface Pattern {
  text: string;
  segments: readonly string[];
  isUsed: boolean;
}

const ANY_FOLDERS = '**';

/**
 * A list of patterns as in .gitignore, without negation and sets: `*` and `?` match within a name, `**` any folders. A
 * pattern without a slash before its end matches at any depth, any other from the folder of kruise.yaml.
 */
export function ignoreList(texts: readonly string[]): IgnoreList {
  const patterns = texts.map((text): Pattern => ({ text, segments: segmentsOf(text), isUsed: false }));

  function patternFor(names: readonly string[]): Pattern | undefined {
    let first: Pattern | undefined;
    for (const pattern of patterns) {
      // A later pattern is used as well if it matches the same.
      if (!matches(pattern.segments, names, isAnyFolders, nameFits)) continue;
      pattern.isUsed = true;
      first ??= pattern;
    }
    return first;
  }

  return {
    has: (path) => patterns.length > 0 && patternFor(namesIn(path)) !== undefined,
    covers(path) {
      const names = namesIn(path);
      for (let count = names.length; count > 0; count--) {
        const found = patternFor(names.slice(0, count));
        if (found !== undefined) return found.text;
      }
      return undefined;
    },
    unused: (paths) =>
      patterns.flatMap(({ segments, isUsed }, index) => {
        const folders = segments.slice(0, -1);
        const open = folders.findIndex((segment) => /[*?]/.test(segment));
        const start = `${(open < 0 ? folders : folders.slice(0, open)).join('/')}/`;
        const isWithin = paths.some((path) => path === '' || start.startsWith(`${path}/`));
        return isUsed || !isWithin ? [] : [index];
      }),
  };
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function segmentsOf(text: string): string[] {
  const body = withoutTrailing(text, '/');
  const segments = namesIn(body);
  return body.includes('/') || segments.length === 0 ? segments : [ANY_FOLDERS, ...segments];
}

function isAnyFolders(segment: string): boolean {
  return segment === ANY_FOLDERS;
}

function nameFits(segment: string, name: string): boolean {
  return matches([...segment], [...name], isAnyText, letterFits);
}

function isAnyText(letter: string): boolean {
  return letter === '*';
}

function letterFits(letter: string, actual: string): boolean {
  return letter === '?' || letter === actual;
}

/** Whether a pattern matches all items. Takes at most time proportional to the product of the lengths. */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  isAny: (part: string) => boolean,
  fits: (part: string, item: string) => boolean,
): boolean {
  let [at, item] = [0, 0];
  // The last part that takes any items, and where those after it begin.
  let [any, after] = [-1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isAny(part)) {
      any = at++;
      after = item;
    } else if (part !== undefined && fits(part, items[item] ?? '')) {
      at++;
      item++;
    } else if (any >= 0) {
      at = any + 1;
      item = ++after;
    } else return false;
  }
  return pattern.slice(at).every(isAny);
}
