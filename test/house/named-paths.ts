import { rooms } from './rooms.ts';

/** Files of users that pages name without a folder; this repository does not have them. */
const OF_READERS: readonly string[] = ['plan.yaml', 'forecast.md', 'kruise.yaml'];

const FOLDERS = [...Object.keys(rooms), 'docs', 'golden', '.ci'];

/**
 * The paths in the code spans of a page: texts that start with a top-level folder, and names of files with an extension.
 * `*` matches any characters within a name.
 */
export function namedPaths(text: string): string[] {
  const code = [...text.matchAll(/```[^]*?```|`([^`]+)`/g)].map(([whole, inline]) => inline ?? whole);
  const words = code.flatMap((each) => each.split(/[\s:,;]+/)).filter((word) => !word.includes('://'));
  return words.filter((word) => {
    const [top = ''] = word.split('/');
    if (OF_READERS.includes(word)) return false;
    if (word.includes('/')) return FOLDERS.includes(top) && !/[<>$…]/.test(word);
    return /^[\w.-]+\.(ts|json|md|ya?ml|txt)$/.test(word);
  });
}

/** The files and folders that the page of a room names, and that are neither below the room nor top-level paths. */
export function missingBelow(text: string, room: string, files: readonly string[]): string[] {
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return spans.filter((path) => {
    if (path === './' || !/^[\w./-]+(\.ts|\/)$/.test(path)) return false;
    const wanted = `/${path.replace(/^\.\.\//, '')}`;
    const isFound = (file: string): boolean =>
      `/${file}`.startsWith(wanted) || (file.startsWith(`${room}/`) && `/${file}/`.includes(wanted));
    return !files.some(isFound);
  });
}

/** The named paths that match none of the files. */
export function missingPaths(text: string, files: readonly string[]): string[] {
  return namedPaths(text).filter((path) => {
    const pattern = path
      .replace(/\/$/, '')
      .replace(/[.+?()[\]{}|^$\\]/g, '\\$&')
      .replace(/\*/g, '[^/]*');
    const found = new RegExp(`^${pattern}(/|$)`);
    return !files.some((file) => found.test(file));
  });
}
