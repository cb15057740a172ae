import { readBlobs, recordsIn } from './objects.ts';
import { type Repository, textOf } from './repository.ts';

/** So many commits back, earlier versions of a plan are looked up (plan.md section 3). */
const MOST_COMMITS = 1000;

/** Earlier versions of files, newest first, as texts. */
export type FileHistory = (path: string) => readonly string[];

/**
 * The versions that files below a folder had on the first-parent history of a commit, newest first; deletions are passed over.
 *
 * @param folder relative to the root of the working tree; so are the paths that are asked for
 */
export function historyBelow(repository: Repository, commit: string, folder: string): FileHistory {
  let versions: Map<string, string[]> | undefined;
  return (path) => {
    versions ??= versionsBelow(repository, commit, folder);
    const ids = versions.get(path) ?? [];
    const blobs = readBlobs(repository, ids);
    return ids.map((id) => textOf({ stdout: blobs.get(id) ?? new Uint8Array() }));
  };
}

/** The ids of the versions by path. */
function versionsBelow(repository: Repository, commit: string, folder: string): Map<string, string[]> {
  const list = ['rev-list', '--first-parent', '--parents', `--max-count=${MOST_COMMITS}`, commit];
  const history = textOf({ stdout: repository.read(list) });
  // Each commit with its first parent alone, so that a merge shows all that it brought.
  const pairs = history.split('\n').map((line) => line.split(' ').slice(0, 2).join(' '));
  const compare = [
    'diff-tree',
    '--stdin',
    '--root',
    '-r',
    '-z',
    '--raw',
    '--no-commit-id',
    '--no-renames',
    '--abbrev=64',
  ];
  const printed = repository.read([...compare, '--', folder], pairs.join('\n'));
  const versions = new Map<string, string[]>();
  const records = recordsIn(printed);
  for (let index = 0; index + 1 < records.length; index += 2) {
    const [, , , id = '', status] = (records[index] ?? '').split(' ');
    const path = records[index + 1] ?? '';
    if (status === 'D') continue;
    const ids = versions.get(path) ?? [];
    versions.set(path, ids);
    if (!ids.includes(id)) ids.push(id);
  }
  return versions;
}
