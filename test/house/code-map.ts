import { posix } from 'node:path';

/** The first cells of the rows of all tables of a page that begin with a code span, as the text of that span. */
function namedByRows(page: string): string[] {
  return [...page.matchAll(/^\| `([^`]+)` *\|/gm)].map(([, name = '']) => name);
}

/**
 * The folders of a room that have a row neither in the code map, by a path that begins with the room, nor in the table of the
 * page of the room, by their name and `/`.
 */
export function unmappedFolders(
  room: string,
  folders: readonly string[],
  codeMap: string,
  pageOfRoom: string,
): string[] {
  const mapped = namedByRows(codeMap);
  const listed = namedByRows(pageOfRoom);
  return folders.filter((folder) => {
    const path = posix.join(room, folder);
    return !listed.includes(`${folder}/`) && !mapped.some((each) => each.startsWith(`${path}/`));
  });
}

/** The kinds that the code map does not name in the row of their own folder. */
export function unmappedKinds(room: string, kinds: readonly string[], codeMap: string): string[] {
  return kinds.filter((kind) => {
    const start = `| \`${room}/${kind.toLowerCase()}/`;
    const rows = codeMap.split('\n').filter((line) => line.startsWith(start));
    return !rows.some((row) => new RegExp(`\\b${kind}\\b`).test(row));
  });
}

/** The blocks of TypeScript on a page that are in none of the files as they stand. */
export function inventedCode(page: string, texts: readonly string[]): string[] {
  return [...page.matchAll(/^```ts\n([^]*?)^```$/gm)]
    .map(([, code = '']) => code)
    .filter((code) => !texts.some((text) => text.includes(code)));
}
