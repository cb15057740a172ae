import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { COMPLETE_ANNOTATION, RETAINED_ANNOTATION, retainedText } from '../../semantics/revision/revision.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Mode } from '../../semantics/template/mode.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { revisionData } from '../../semantics/revision/revisions.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { boundClaim } from './claim-model.ts';
import { fittingEveryNode, type ModelNode, nodesOfModel, stepsOfModel } from './node-model.ts';
import { readyPod } from './pod-model.ts';

export interface SimulationInput {
  /** The target at head. */
  target: KubeObject;
  plan: RolloutPlanSpec;
  /**
   * The template of the pods before the rollout; undefined for a continuation, whose old pods run a template of neither
   * state.
   */
  from: JsonObject | undefined;
  /** The pods that the bound at base retained: a continuation changes these. */
  retainedBefore: number;
  /** How many pods the selector of the bound selects in the end; undefined: the target has none. */
  selected?: number | undefined;
  /** The claim templates before the rollout, where existing claims grow; undefined: none does. */
  claims?: readonly JsonObject[] | undefined;
  replicas: number;
  /** Where the units are nodes: in how many failure domains they are. Default: as the kind reads the target. */
  zones?: number | undefined;
}

/** The initial state of a simulation. */
export interface SimulationSetup {
  kind: PlannedKind;
  target: KubeObject;
  /** The plan as it is simulated: from the template of the pods, with short gates. */
  spec: RolloutPlanSpec;
  pods: Pod[];
  claims: KubeObject[];
  /** By name. */
  revisions: Map<string, KubeObject>;
  /** Empty: the units are no nodes. */
  nodes: readonly ModelNode[];
}

/** Start of the model's time, late enough that pods can be old. */
export const START = Date.UTC(2000, 0, 2);
export const DAY = 24 * 3_600_000;
/** The name of the head revision in the model. */
export const NEW_REVISION = 'new';

/** Creates the initial state of a simulation: every pod has been ready for long, and the rollout has not started. */
export function prepareSimulation({
  target,
  plan,
  from,
  retainedBefore,
  selected,
  claims = [],
  replicas,
  zones,
}: SimulationInput): SimulationSetup {
  const kind = kindOfTarget(target);
  const counted: JsonObject = { ...(target['spec'] as JsonObject), replicas };
  const plain: KubeObject = { ...target, metadata: { ...target.metadata, uid: 'target' }, spec: counted };
  const bound =
    selected === undefined ? plain : replacedAt(plain, kind.git.fieldPath(plain, 'boundSelector'), SELECTED);
  const nodes = zones === undefined ? [] : nodesOfModel(replicas, zones, plan.steps);
  const isOnNodes = zones !== undefined;
  const { template } = kind.git.read(bound);
  const to = isOnNodes ? fittingEveryNode(template) : template;
  const subject = isOnNodes ? replacedAt(bound, kind.git.fieldPath(bound, 'template'), to) : bound;
  const mode = plan.from[0]?.mode ?? 'InPlace';
  const old = isOnNodes ? beforeOnNodes(from, to, mode) : (from ?? templateBefore(to, mode));
  const continuing = from === undefined;
  const oldHash = templateHash(old);
  const held = { hash: oldHash, n: Math.min(retainedBefore, replicas) };
  const revisions = new Map<string, KubeObject>([
    ['old', revision('old', old, 1, { [COMPLETE_ANNOTATION]: '1' })],
    [
      NEW_REVISION,
      revision(
        NEW_REVISION,
        to,
        2,
        continuing ? { [COMPLETE_ANNOTATION]: '2', [RETAINED_ANNOTATION]: retainedText(held) } : {},
      ),
    ],
  ]);
  const hashes = Array.from({ length: replicas }, (_, n) =>
    continuing && n >= held.n ? templateHash(to) : oldHash,
  );
  const pods = kind.git
    .units(
      subject,
      [...revisions.values()],
      hashes,
      START - DAY,
      nodes.map(({ node }) => node.metadata.name),
    )
    .map((pod, n) => readyPod(pod, `pod-${n}`, START - DAY))
    .map((pod, n) => (n >= replicas - (selected ?? 0) ? withLabels(pod, SELECTED.matchLabels) : pod));
  // The simulation needs the template of the pods and the most disruptive mode. Soaks and checks are short, because they do
  // not affect pods.
  const most = plan.from.length === 0 ? 'Recreate' : mostDisruptive(plan.from.map((entry) => entry.mode));
  const simulated: RolloutPlanSpec = {
    ...plan,
    to: {
      ...plan.to,
      ...(isOnNodes && { hash: templateHash(to) }),
      ...(selected !== undefined && { bound: { ...plan.to.bound, selector: SELECTED } }),
    },
    from: [{ hash: oldHash, mode: most }],
    steps: stepsOfModel(plan.steps).map(({ check, ...step }) =>
      step.soak === undefined && check === undefined ? step : { ...step, soak: { for: '1s' } },
    ),
  };
  const filled = claims.flatMap((claim) => pods.map((pod) => boundClaim(claim, pod)));
  return { kind, target: subject, spec: simulated, pods, claims: filled, revisions, nodes };
}

/** The template before, for every node of a model. Where it differs only in what fits nodes, another one stands for it. */
function beforeOnNodes(from: JsonObject | undefined, to: JsonObject, mode: Mode): JsonObject {
  const before = from && fittingEveryNode(from);
  const isSame = before !== undefined && templateHash(before) === templateHash(to);
  return before === undefined || isSame ? templateBefore(to, mode) : before;
}

/** Stands for the selector of a bound: a model has no other labels of pods. */
const SELECTED = { matchLabels: { 'plan.kruise.io/selected': 'true' } };

function withLabels(pod: Pod, labels: Readonly<Record<string, string>>): Pod {
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
}

/** A copy with another value at a path of objects. */
function replacedAt<Of extends object>(object: Of, [key, ...rest]: readonly string[], value: JsonObject): Of {
  if (key === undefined) return object;
  const inner = (object as JsonObject)[key];
  const next = rest.length === 0 ? value : replacedAt(isObject(inner) ? inner : {}, rest, value);
  return { ...object, [key]: next };
}

/** The rules of a target; throws if its kind has none. */
export function kindOfTarget(target: KubeObject): PlannedKind {
  const kind = plannedKindOf(groupKindOf(target));
  if (kind === undefined) throw new Error(`no rules for ${target.kind}`);
  return kind;
}

/** A template from which the update to `to` has the given mode. It stands for the real one, which git no longer has. */
export function templateBefore(to: JsonObject, mode: Mode): JsonObject {
  const metadata = (to['metadata'] ?? {}) as JsonObject;
  const spec = (to['spec'] ?? {}) as JsonObject;
  // What is injected into pods has no metadata of its own, so another image stands for any change of it.
  if (mode === 'MetadataOnly' && to['metadata'] !== undefined) {
    const annotations = (metadata['annotations'] ?? {}) as JsonObject;
    return {
      ...to,
      metadata: { ...metadata, annotations: { ...annotations, 'plan.kruise.io/before': 'true' } },
    };
  }
  if (mode === 'Recreate') return { ...to, spec: { ...spec, hostname: 'before' } };
  const [first, ...rest] = (spec['containers'] ?? []) as JsonObject[];
  return { ...to, spec: { ...spec, containers: [{ ...first, image: 'before' }, ...rest] } };
}

function revision(
  name: string,
  template: JsonObject,
  number: number,
  annotations: Record<string, string>,
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, uid: name, resourceVersion: '1', annotations },
    data: revisionData(template),
    revision: number,
  };
}
