import type { GroupKind } from '../../semantics/owner.ts';

const rooms = ['schemas', 'semantics', 'compiler', 'cli', 'runtime', 'sandbox', 'deploy'];

/** The folders of a kind, generated files, and pages for users. */
const elsewhere = (names: readonly string[]): RegExp => {
  const kind = `(${names.join('|')})`;
  return new RegExp(
    [
      `^semantics/${kind}/`,
      `^schemas/[a-z]+/${kind}\\.json$`,
      '^schemas/generated/',
      '^deploy/(crds|rbac|policy|overlays)/',
      '^deploy/kustomization\\.yaml$',
      '/README\\.md$',
    ].join('|'),
  );
};

/**
 * The files of the rooms that name one of these kinds, in code or in a comment, outside of its own folders. Each is a place
 * that might need a change for a new kind.
 *
 * @param textOf reads a file
 */
export function filesNaming(
  kinds: readonly GroupKind[],
  paths: readonly string[],
  textOf: (path: string) => string,
): string[] {
  const names = kinds.map(({ kind }) => kind.toLowerCase());
  const own = elsewhere(names);
  const naming = new RegExp(names.join('|'), 'i');
  return paths.filter(
    (path) => rooms.includes(path.split('/')[0] ?? '') && !own.test(path) && naming.test(textOf(path)),
  );
}
