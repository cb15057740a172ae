import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CopiesInGit } from '../../semantics/kinds/standing-git.ts';
import type { ConfigRead } from '../../semantics/pod/config-reads.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { byText } from '../text/order.ts';

/** What a change does to the copies of an object, as far as manifests show it. Each list is sorted. */
export interface CopyChange {
  kind: ConfigRead['kind'];
  name: string;
  /** The namespaces that get, change and lose a copy. */
  gets: readonly string[];
  changes: readonly string[];
  loses: readonly string[];
  /** It may reach namespaces that no manifest shows. */
  isOpen: boolean;
  /** Workloads in those namespaces that read what changes there, sorted by namespace, kind and name. */
  readers: readonly CopyReader[];
  /** Workloads that do so if they are in one of them: their manifests name no namespace. */
  possible: number;
}

/** A workload that reads a copy, and where it does. */
export interface CopyReader extends Pick<GitWorkload, 'kind' | 'namespace' | 'name'> {
  /** Where: the name of a container or volume; empty for a pull. */
  reads: readonly { by: ConfigRead['by']; where: string }[];
}

/** One state of an object that makes copies, and the pods and namespaces of that state. */
export interface CopyState {
  manifest: StandingManifest;
  pods: GitPods;
}

/** What an object copies; undefined: nothing. */
export function copiesOf({ type, object }: StandingManifest): CopiesInGit | undefined {
  return type.git.copies(object);
}

/**
 * The namespaces that get, change or lose a copy, and who reads it there. Undefined: nothing of that changes, or nothing is copied.
 * The name of what is copied cannot change.
 *
 * @param before undefined: the object is new
 * @param after undefined: it is removed
 */
export function copyChange(
  before: CopyState | undefined,
  after: CopyState | undefined,
): CopyChange | undefined {
  const [from, to] = [before && copiesOf(before.manifest), after && copiesOf(after.manifest)];
  const shown = to ?? from;
  if (shown === undefined) return undefined;
  const [was, is] = [namespacesOf(from, before?.pods), namespacesOf(to, after?.pods)];
  const isSame = from !== undefined && to !== undefined && from.rest === to.rest;
  const keys = changedKeys(from, to);
  const [had, has] = [new Set(was), new Set(is)];
  const lists = {
    gets: is.filter((each) => !had.has(each)),
    changes: isSame && keys.size === 0 ? [] : is.filter((each) => had.has(each)),
    loses: was.filter((each) => !has.has(each)),
  };
  const moved = new Set([...lists.gets, ...lists.loses]);
  if (moved.size + lists.changes.length === 0 && !(before === undefined || after === undefined))
    return undefined;
  const changed = new Set(lists.changes);
  const readsOf = ({ templates }: GitWorkload, isMoved: boolean): ConfigRead[] =>
    templates.flatMap(({ reads }) =>
      reads.filter(
        (each) => each.kind === shown.kind && each.name === shown.name && (isMoved || readsAny(each, keys)),
      ),
    );
  const workloads = (after ?? before)?.pods.workloads ?? [];
  const readers = workloads.flatMap((workload): CopyReader[] => {
    const { kind, namespace, name } = workload;
    if (namespace === undefined || !(moved.has(namespace) || changed.has(namespace))) return [];
    const reads = distinct(readsOf(workload, moved.has(namespace)));
    return reads.length === 0 ? [] : [{ kind, namespace, name, reads }];
  });
  return {
    ...{ kind: shown.kind, name: shown.name, ...lists, isOpen: shown.isOpen },
    readers: readers.sort(byPlace),
    possible: workloads.filter(
      (each) => each.namespace === undefined && readsOf(each, moved.size > 0).length > 0,
    ).length,
  };
}

/**
 * The namespaces with a copy: those of manifests and of workloads, and those that the object names. One without a manifest has no
 * label that is known but its name.
 */
function namespacesOf(copies: CopiesInGit | undefined, pods: GitPods | undefined): readonly string[] {
  return copies === undefined || pods === undefined ? [] : copies.namespacesAmong(namespacesIn(pods));
}

/** The namespaces of a state as objects. @param more names of further ones */
export function namespacesIn({ namespaces, workloads }: GitPods, more: readonly string[] = []): KubeObject[] {
  const used = [...workloads.flatMap(({ namespace }) => namespace ?? []), ...more];
  const labels = new Map([
    ...used.map((name) => [name, { [NAMESPACE_NAME_LABEL]: name }] as const),
    ...namespaces,
  ]);
  return [...labels].map(([name, own]) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { ...own } },
  }));
}

function changedKeys(from: CopiesInGit | undefined, to: CopiesInGit | undefined): ReadonlySet<string> {
  const [was, is] = [from?.values ?? NONE, to?.values ?? NONE];
  return new Set([...was.keys(), ...is.keys()].filter((key) => was.get(key) !== is.get(key)));
}

const NONE: ReadonlyMap<string, string> = new Map();

/** Whether a read is about one of these keys. What all of them are about is about each. */
function readsAny({ keys }: ConfigRead, changed: ReadonlySet<string>): boolean {
  return changed.size > 0 && (keys === undefined || [...changed].some((key) => keys.has(key)));
}

function distinct(reads: readonly ConfigRead[]): CopyReader['reads'] {
  const all = reads.flatMap(({ by, where }) =>
    (where.length === 0 ? [''] : where).map((each) => ({ by, where: each })),
  );
  return [...new Map(all.map((each) => [`${each.by} ${each.where}`, each])).values()];
}

function byPlace(a: CopyReader, b: CopyReader): number {
  return byText(a.namespace ?? '', b.namespace ?? '') || byText(a.kind, b.kind) || byText(a.name, b.name);
}
