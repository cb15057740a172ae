import { SHARED_KINDS } from '../../semantics/kinds/openkruise.ts';
import type { GroupKind } from '../../semantics/owner.ts';

const rooms = ['schemas', 'semantics', 'compiler', 'cli', 'runtime', 'sandbox', 'deploy'];

/** The folders of a kind, generated files, tests, and pages for users. */
const elsewhere = (names: readonly string[]): RegExp => {
  const kind = `(${names.join('|')})`;
  return new RegExp(
    [
      `^semantics/${kind}/`,
      `^schemas/[a-z]+/${kind}\\.json$`,
      '^schemas/generated/',
      '^deploy/(crds|rbac|policy|overlays|chart/templates|components/(admission(-exact|-spreads)?|native-workloads)/rbac|components/((deletion|budget|copy)-protection|native-workloads|secrets)/policy|argocd|flux)\\b',
      '/README\\.md$',
      '^sandbox/(docs|test)/',
    ].join('|'),
  );
};

/** Files about the kinds of Kubernetes itself: a name that Kubernetes has, too, means its kind there. */
const aboutKubernetes = /^(sandbox|schemas\/generate)\//;

/** A name with the group of Kubernetes: `statefulsets.apps`, and not `statefulsets.apps.kruise.io`. */
const ofKubernetes = /\b[a-z]+\.(apps|batch)\b(?!\.)/g;

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
  const own = elsewhere(kinds.map(({ kind }) => kind.toLowerCase()));
  const naming = new RegExp(kinds.map(({ kind }) => kind).join('|'), 'i');
  const unshared = kinds.filter(({ kind }) => !SHARED_KINDS.has(kind));
  const namingOurs =
    unshared.length === 0 ? undefined : new RegExp(unshared.map(({ kind }) => kind).join('|'), 'i');
  return paths.filter((path) => {
    if (!rooms.includes(path.split('/')[0] ?? '') || own.test(path)) return false;
    const names = aboutKubernetes.test(path) ? namingOurs : naming;
    return names?.test(textOf(path).replace(ofKubernetes, '')) === true;
  });
}
