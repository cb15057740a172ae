import { main } from '../../cli/dispatch.ts';
import type { Forecast } from '../../compiler/forecast/forecast.ts';
import { nameRuns } from '../../compiler/text/name-runs.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isSnapshot, parseSnapshot, type Progress } from '../../semantics/plan/memory.ts';
import { isActive, isAvailable } from '../../semantics/pod/readiness.ts';
import { shortHash } from '../../semantics/pod/revision-label.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { contentOfSpec, revisedSpec } from '../../semantics/sidecarset/content.ts';
import { recordOf } from '../../semantics/sidecarset/pod-record.ts';
import { SET_NAME_LABEL } from '../../semantics/sidecarset/resource.ts';
import { templateOf } from '../../semantics/revision/revisions.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { createFamily, type Family } from './family.ts';
import type { Files, StoryCluster } from './stage.ts';

/** The forecast of one rollout, as JSON. */
type ForecastOutput = Pick<Forecast, 'rows' | 'lowestAvailable' | 'finishes' | 'claims'>;

interface Rollout {
  /** `web 1`: the target, and which of its plans it is. */
  name: string;
  to: string;
  said: ForecastOutput;
  steps: string[];
  /** Pods on the new revision at the end of each step, by id. */
  left: Map<string, number>;
  /** Only claims grow. */
  grows: boolean;
  /** Git does not say how many pods there are: those with a forecast are ten. */
  selects: boolean;
  /** Pods in the order in which they were updated, or in which their claims grew. */
  order: string[];
  progress: Progress | undefined;
  lowest: number;
  /** Claims of the target that were created, and deleted, until the next commit. */
  claims: { made: number; deleted: number };
  over: boolean;
}

export interface ForecastComparison {
  /** How many rollouts with a forecast were started. */
  started(): number;
  /** The differences from the forecast, one line each. */
  differences(): string[];
}

/**
 * Follows a stage: the forecast of `kruise plan -o json` for each commit, and what then happens in the cluster.
 * A step is compared when the runtime records the next one, before it acts on it.
 */
export function compareWithForecast(stage: StoryCluster): ForecastComparison {
  const rollouts = new Map<string, Rollout>();
  const pods = new Map<string, Pod>();
  const hashes = new Map<string, string>();
  const family = createFamily();
  const ofTarget = (name: string): Pod[] =>
    [...pods.values()].filter((pod) => isActive(pod) && revisionOf(pod, name, family) !== undefined);
  const hashOf = (label = ''): string | undefined => family.rootHash(hashes.get(label));
  const countAt = (target: string, hash: string): number =>
    ofTarget(target).filter((pod) => hashOf(revisionOf(pod, target, family)) === hash).length;

  const { commit } = stage;
  stage.commit = async (message, changed, options) => {
    const base = stage.files();
    await commit(message, changed, options);
    for (const rollout of rollouts.values()) if (rollout.progress?.phase === 'Succeeded') rollout.over = true;
    if (options?.plan === false) return;
    for (const { plan, forecast } of await forecasts(stage.files(), base, options?.args)) {
      const { digest, to, target, steps } = plan.spec;
      if (rollouts.has(digest)) continue;
      const earlier = [...rollouts.values()].filter((rollout) => targetOf(rollout) === target.name);
      rollouts.set(digest, {
        name: `${target.name} ${earlier.length + 1}`,
        to: to.hash,
        said: forecast,
        steps: steps.flatMap(({ id, update }) => (update === undefined ? [] : [id])),
        left: new Map(),
        grows: forecast.rows.some(({ what }) => what.startsWith('grow ')),
        selects: plan.kind === 'ClusterRolloutPlan',
        order: [],
        progress: undefined,
        lowest: Infinity,
        claims: { made: 0, deleted: 0 },
        over: false,
      });
    }
  };

  stage.world.onCommit(({ resource, type, object, previous }) => {
    family.follow(object);
    if (resource === 'persistentvolumeclaims') {
      countClaim(type, object, previous);
      if (previous !== undefined && requested(previous) !== requested(object)) followClaim(object);
    }
    if (resource === 'pods') {
      follow(type, object as Pod);
      if (type === 'DELETED') pods.delete(object.metadata.name);
      else pods.set(object.metadata.name, object as Pod);
    } else if (resource.startsWith('controllerrevisions.') && type !== 'DELETED') {
      if (isSnapshot(object)) advance(object);
      else for (const label of labelsFor(object)) hashes.set(label, hashIn(object));
    } else return;
    for (const rollout of rollouts.values()) if (isOpen(rollout)) look(rollout);
  });

  function countClaim(type: string, claim: KubeObject, previous: KubeObject | undefined): void {
    const isGoing = (object?: KubeObject): boolean => object?.metadata.deletionTimestamp !== undefined;
    const goes = !isGoing(previous) && (isGoing(claim) || type === 'DELETED');
    for (const rollout of rollouts.values()) {
      if (rollout.progress === undefined || rollout.over || ownerOf(claim) !== targetOf(rollout)) continue;
      if (type === 'ADDED') rollout.claims.made += 1;
      if (goes) rollout.claims.deleted += 1;
    }
  }

  function follow(type: string, pod: Pod): void {
    const { name, labels, deletionTimestamp } = pod.metadata;
    const isGoing = type === 'DELETED' || deletionTimestamp !== undefined;
    const hash = hashes.get(labels?.[REVISION_LABEL] ?? '');
    for (const rollout of rollouts.values()) {
      // An old pod is taken when it changes, or when it is deleted.
      const isTaken =
        isOpen(rollout) &&
        !rollout.grows &&
        ownerOf(pod) === targetOf(rollout) &&
        isGoing === (hash !== rollout.to);
      if (isTaken && !rollout.order.includes(name)) rollout.order.push(name);
    }
  }

  function followClaim({ metadata: { name } }: KubeObject): void {
    for (const rollout of rollouts.values()) {
      if (!isOpen(rollout) || !rollout.grows) continue;
      const pod = ofTarget(targetOf(rollout)).find(({ metadata }) => name.endsWith(`-${metadata.name}`));
      if (pod !== undefined && !rollout.order.includes(pod.metadata.name))
        rollout.order.push(pod.metadata.name);
    }
  }

  function look(rollout: Rollout): void {
    const now = stage.clock.now();
    const available = ofTarget(targetOf(rollout)).filter((pod) => isAvailable(pod, 0, now)).length;
    rollout.lowest = Math.min(rollout.lowest, available);
  }

  function advance(object: KubeObject): void {
    const accepted = parseSnapshot(object);
    const rollout = accepted && rollouts.get(accepted.spec.digest);
    if (accepted === undefined || rollout === undefined) return;
    const { phase, step } = accepted.progress;
    const done = phase === 'Succeeded' ? accepted.spec.steps.length : step;
    for (const { id } of accepted.spec.steps.slice(0, done))
      if (!rollout.left.has(id))
        rollout.left.set(id, rollout.grows ? rollout.order.length : countAt(targetOf(rollout), rollout.to));
    rollout.progress = accepted.progress;
  }

  const started = (): Rollout[] => [...rollouts.values()].filter(({ progress }) => progress !== undefined);
  return {
    started: () => started().length,
    differences: () => started().flatMap(differencesOf),
  };
}

function differencesOf({
  name,
  said,
  steps,
  left,
  selects,
  order,
  progress,
  lowest,
  claims,
}: Rollout): string[] {
  const phase = progress?.phase;
  const found: string[] = [];
  for (const id of steps) {
    const expected = said.rows.find((row) => row.id === id)?.pods?.[selects ? 'lowest' : 'expected'];
    const there = left.get(id);
    if (there !== undefined && there !== expected)
      found.push(`${name}: ${id} left ${there} pods at the new revision, not ${expected ?? 'none'}`);
  }
  if ((phase === 'Succeeded') !== said.finishes)
    found.push(`${name}: it is ${phase}, and was ${said.finishes ? '' : 'not '}to finish`);
  // For a rollout that ended early, the lowest number of available pods is not comparable.
  if (phase === 'Succeeded' && !selects && lowest !== said.lowestAvailable)
    found.push(`${name}: at the least ${lowest} pods were available, not ${said.lowestAvailable}`);
  const named = said.rows.map(({ names = '' }) => names).filter((names) => names !== '');
  if (phase === 'Succeeded' && named.length > 0 && nameRuns(order) !== nameRuns(namesIn(named)))
    found.push(`${name}: its pods were updated in the order ${nameRuns(order)}, not ${named.join(', ')}`);
  const { created = 0, deleted = 0 } = said.claims ?? {};
  if (phase === 'Succeeded' && (created !== claims.made || deleted !== claims.deleted))
    found.push(
      `${name}: ${claims.made} claims were made and ${claims.deleted} deleted, not ${created} and ${deleted}`,
    );
  return found;
}

/** The names that the steps list, runs of numbers in full. */
function namesIn(steps: readonly string[]): string[] {
  return steps
    .join(', ')
    .split(', ')
    .flatMap((part) => {
      const [first = '', last] = part.split(' to ');
      if (last === undefined) return [first];
      const text = first.slice(0, first.lastIndexOf('-') + 1);
      const [from, to] = [Number(first.slice(text.length)), Number(last.slice(text.length))];
      const step = Math.sign(to - from);
      return Array.from({ length: Math.abs(to - from) + 1 }, (_, n) => `${text}${from + n * step}`);
    });
}

function requested({ spec }: KubeObject): string | undefined {
  return (spec as { resources?: { requests?: { storage?: string } } }).resources?.requests?.storage;
}

function isOpen({ progress }: Rollout): boolean {
  return (
    progress !== undefined && ['Running', 'AwaitingApproval', 'Soaking', 'Checking'].includes(progress.phase)
  );
}

function targetOf({ name }: Rollout): string {
  return name.slice(0, name.lastIndexOf(' '));
}

/** The revision of a target that a pod is on; undefined: it is no pod of that target. */
function revisionOf(pod: Pod, target: string, { rootOf }: Family): string | undefined {
  const record = recordOf(pod, target);
  if (record !== undefined) return record.revision ?? '';
  const owner = ownerOf(pod);
  return (rootOf(owner) ?? owner) === target ? (pod.metadata.labels?.[REVISION_LABEL] ?? '') : undefined;
}

function hashIn(revision: KubeObject): string {
  const isOfSet = revision.metadata.labels?.[SET_NAME_LABEL] !== undefined;
  return templateHash(isOfSet ? contentOfSpec(revisedSpec(revision)) : templateOf(revision));
}

/** The values that pods may have as the label of a revision: its name, or its hash alone. */
function labelsFor({ metadata: { name } }: KubeObject): string[] {
  return [name, shortHash(name)];
}

function ownerOf(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)?.name;
}

async function forecasts(
  next: Files,
  base: Files,
  args: readonly string[] = [],
): Promise<{ plan: RolloutPlan; forecast: ForecastOutput }[]> {
  const files: Record<string, string> = { '/repo/.git/HEAD': '', '/base/.git/HEAD': '' };
  for (const [path, text] of next) files[`/repo/${path}`] = text;
  for (const [path, text] of base) files[`/base/${path}`] = text;
  const host = memoryHost(files, { cwd: '/repo', env: { NO_COLOR: '1' } });
  await main(host, ['plan', ...args, '-o', 'json', '--base-dir', '/base']);
  const { changes } = JSON.parse(host.out || '{"changes": []}') as { changes: JsonObject[] };
  return changes.flatMap(({ plan, forecast }) =>
    plan === undefined || forecast === undefined
      ? []
      : [{ plan: plan as unknown as RolloutPlan, forecast: forecast as unknown as ForecastOutput }],
  );
}
