import type { JsonObject } from '../../schemas/wire/json.ts';
import type { SpreadInGit } from '../../semantics/kinds/standing-git.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';
import { isSameWorkload } from '../../semantics/pod/workload.ts';
import { textOf } from '../../semantics/values/read.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { gatesIn, hasGate, mayHoldGate } from '../load/gates.ts';
import type { Locator } from '../load/locate.ts';
import type { StandingManifest } from '../load/manifest.ts';
import type { Loaded } from '../load/manifests.ts';
import { readOtherObjects } from '../load/other-objects.ts';
import { shownName } from '../plan/target.ts';
import { hasValidShape } from './valid-shape.ts';

/** Workloads of Kubernetes by group, kind, namespace and name. */
export type NativeWorkloads = () => ReadonlyMap<string, JsonObject>;

/** The workload of Kubernetes whose pods an object places; undefined: they are none of these, or git does not have it. */
export function nativeTarget(
  manifest: StandingManifest,
  spreads: SpreadInGit,
  natives: NativeWorkloads,
): JsonObject | undefined {
  const { target } = spreads;
  if (!isNativeTarget(manifest, spreads)) return undefined;
  return natives().get(tupleId(target, manifest.namespace, target.name));
}

/** Whether the workload is one of Kubernetes. */
export function isNativeTarget({ type }: StandingManifest, { target }: SpreadInGit): boolean {
  return type.git.spreadsNative.some(({ group, kind }) => group === target.group && kind === target.kind);
}

/** Templates whose pods wait with a gate that nothing in git removes. */
export function gateRules(
  { standing, gatedFiles }: Pick<Loaded, 'standing' | 'gatedFiles'>,
  host: CompilerHost,
  budget: Budget,
  locator: Locator,
): Diagnostic[] {
  if (gatedFiles.length === 0) return [];
  const spreads = [...standing.values()].flatMap((manifest) => {
    const found = hasValidShape(manifest) ? manifest.type.git.spreads(manifest.object) : undefined;
    return found === undefined ? [] : [{ namespace: manifest.namespace, ...found }];
  });
  const gated = readOtherObjects(host, gatedFiles, budget, (each) => gatesIn(each).length > 0, mayHoldGate);
  return gated.flatMap(({ object, namespace, name, origin }) => {
    const [apiVersion, kind] = [textOf(object['apiVersion']), textOf(object['kind'])];
    const own = { ...groupKindOf({ apiVersion, kind }), name };
    return gatesIn(object).flatMap(({ gate, path }) => {
      const isLifted = spreads.some(
        // Of pods that are placed in another way the gate is removed, too.
        (each) => each.namespace === namespace && isSameWorkload(each.target, own),
      );
      if (isLifted) return [];
      const workload = `${kind} ${shownName({ namespace, name })}`;
      return [diagnostic('KR2237', { workload, gate }, locator(origin, path, 'key'))];
    });
  });
}

/** What a commit means for the pods of a workload whose template gets or loses the gate of an object, as a sentence; undefined: nothing. */
export function gateRollout(
  natives: { base: NativeWorkloads; head: NativeWorkloads },
  before: StandingManifest | undefined,
  after: StandingManifest | undefined,
): string | undefined {
  const manifest = after ?? before;
  const [was, is] = [before, after].map((each) => each?.type.git.spreads(each.object));
  const spreads = is ?? was;
  // Of one whose pods a webhook places from now on it goes.
  const gate = is?.gate ?? was?.gate;
  if (manifest === undefined || spreads === undefined || gate === undefined) return undefined;
  const { target } = spreads;
  const from = nativeTarget(manifest, spreads, natives.base);
  const to = nativeTarget(manifest, spreads, natives.head);
  if (from === undefined || to === undefined || hasGate(from, gate) === hasGate(to, gate)) return undefined;
  const what = `The template of ${target.kind} ${target.name} ${hasGate(to, gate) ? 'gets' : 'loses'} the scheduling gate ${gate}`;
  if (target.group === 'batch') return `${what}: a server refuses that for a Job that exists.`;
  if (target.kind === 'ReplicaSet') return `${what}: its pods are replaced as they are deleted.`;
  return `${what}: one rollout replaces all of its pods.`;
}
