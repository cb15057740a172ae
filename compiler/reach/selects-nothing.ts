import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { PodWorkload } from '../../semantics/pod/workload.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { withAll } from '../load/elsewhere.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { ManifestOf, StandingManifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import { onceOnly } from '../load/once-only.ts';
import { hasValidShape } from '../validate/valid-shape.ts';
import { locateIn } from '../validate/validate.ts';
import { type PodSelection, podSelection, selectsAny } from './reach.ts';

/**
 * A warning of a valid object that selects no pod in git.
 *
 * @param path where its selector stands
 * @param git with the pods of all other roots of the run
 */
export function selectsNothing(
  manifest: ManifestOf<Kind>,
  path: readonly string[],
  selection: PodSelection,
  git: GitPods,
  locator: Locator,
): Diagnostic[] {
  return selectsAny(selection, git, isGivenLater)
    ? []
    : nothingSelected(manifest, path, git.workloads.length, locator);
}

/** @param workloads how many there are; of none no object selects any */
function nothingSelected(
  manifest: ManifestOf<Kind>,
  path: readonly string[],
  workloads: number,
  locator: Locator,
): Diagnostic[] {
  if (workloads === 0) return [];
  const { kind, name } = manifest;
  return [diagnostic('KR2193', { kind, name, workloads }, locateIn(manifest, locator)([...path], 'key'))];
}

/**
 * The same of objects that are reconciled at once: a budget with a wrong label protects nothing. None if there are errors, because
 * not all workloads are known then. Other roots are read only where the pods of the own one are not selected.
 *
 * @param standing those that are read whole; of invalid ones nothing is said
 * @param readPods undefined: not all of them are known
 * @param readOthers the pods of all other roots of the run
 */
export function standingThatSelectNothing(
  { diagnostics, manifests, standing: all }: Pick<Loaded, 'diagnostics' | 'manifests' | 'standing'>,
  standing: Iterable<StandingManifest>,
  readPods: () => GitPods | undefined,
  readOthers: () => GitPods | undefined,
  locator: Locator,
): Diagnostic[] {
  if (hasErrors(diagnostics)) return [];
  const objects = [...manifests.values(), ...all.values()].map(({ object }) => object);
  const patched = onceOnly(() => patchedLabels(objects));
  const mayGet = (key: string): boolean => isGivenLater(key) || patched().has(key);
  const readOwn = onceOnly(() => inNamespaces(readPods()));
  const readEverywhere = onceOnly(() => inNamespaces(withAll([readPods(), readOthers()])));
  return [...standing].flatMap((manifest) => {
    if (!hasValidShape(manifest)) return [];
    const path = manifest.type.git.selects(manifest.object);
    const selection = path && podSelection(manifest);
    if (path === undefined || selection === undefined || isForeign(selection.workload)) return [];
    const near = readOwn();
    if (near === undefined || selectsAny(selection, near.of(selection), mayGet)) return [];
    const everywhere = readEverywhere();
    if (everywhere === undefined || selectsAny(selection, everywhere.of(selection), mayGet)) return [];
    return nothingSelected(manifest, path, everywhere.workloads, locator);
  });
}

/** Keys of labels that controllers write: those of Kubernetes and OpenKruise, and older ones without a domain. */
const GIVEN =
  /^([a-z0-9.-]*\.)?(kubernetes|k8s|kruise)\.io\/|^(job-name|controller-uid|pod-template-hash|controller-revision-hash)$/;

function isGivenLater(key: string): boolean {
  return GIVEN.test(key);
}

/** Keys of labels that subsets in git patch into pods, whatever workload these belong to. */
function patchedLabels(objects: readonly KubeObject[]): ReadonlySet<string> {
  const keys = objects.flatMap((object) => {
    const spec = objectOf(object['spec']);
    const subsets = [...listOf(spec['subsets']), ...listOf(objectOf(spec['topology'])['subsets'])];
    return subsets.flatMap((subset) =>
      Object.keys(objectOf(objectOf(objectOf(objectOf(subset)['patch'])['metadata'])['labels'])),
    );
  });
  return new Set(keys);
}

/** Whether a workload is of a kind whose pods may be made without a template in git, by an operator. */
function isForeign(workload: PodWorkload | undefined): boolean {
  return workload !== undefined && !WITH_TEMPLATES.has(workload.group);
}

const WITH_TEMPLATES: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'apps.kruise.io']);

/** Those of the namespaces that a selection may be about, so that many budgets in many namespaces are not each compared with all. */
interface Near {
  of(selection: PodSelection): GitPods;
  /** How many there are in all. */
  workloads: number;
}

function inNamespaces(git: GitPods | undefined): Near | undefined {
  if (git === undefined) return undefined;
  const byNamespace = new Map<string | undefined, GitWorkload[]>();
  for (const workload of git.workloads) {
    const together = byNamespace.get(workload.namespace) ?? [];
    together.push(workload);
    byNamespace.set(workload.namespace, together);
  }
  const unnamed = byNamespace.get(undefined) ?? [];
  return {
    workloads: git.workloads.length,
    of({ own }) {
      if (own?.name === undefined) return git;
      return { ...git, workloads: [...(byNamespace.get(own.name) ?? []), ...unnamed] };
    },
  };
}
