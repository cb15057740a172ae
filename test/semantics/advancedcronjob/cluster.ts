import type { RolloutPlanSpec, Step, Wave } from '../../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { advancedCronJobKind } from '../../../semantics/advancedcronjob/kind.ts';
import { normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import { type Action, inSequence } from '../../../semantics/decision.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../../semantics/plan/digest.ts';
import { type Accepted, parseSnapshot, snapshotObject } from '../../../semantics/plan/memory.ts';
import type { Policy } from '../../../semantics/policy.ts';
import type { Command, ProgressClock } from '../../../semantics/plan/advance-input.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { patched } from '../../../semantics/reconcile/patched.ts';
import { reconcile } from '../../../semantics/reconcile/reconcile.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { objectOf } from '../../../semantics/values/read.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';
import { at, clock, cronJobOf } from './model.ts';

const MINUTE = 60_000;

/** The template of Jobs, or of BroadcastJobs, whose image has this number. */
export function templateOf(image: number, field = 'jobTemplate'): JsonObject {
  const containers = [{ name: 'main', image: `job:${image}` }];
  return { [field]: { spec: { template: { spec: { restartPolicy: 'Never', containers } } } } };
}

const hashOf = (template: JsonObject): string =>
  templateHash(normalizeCronJob(cronJobOf({ template })).template);

/** A plan of these steps from one image to another; from none: the first of all. */
export function planOf(
  from: number | undefined,
  to: number,
  steps: readonly JsonObject[],
  {
    attempt,
    field,
    supersedes,
    waves,
  }: { attempt?: number; field?: string; supersedes?: string[]; waves?: Wave[] } = {},
): RolloutPlanSpec {
  const content = {
    format: PLAN_FORMAT,
    semantics: PLAN_SEMANTICS,
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'AdvancedCronJob', name: 'tidy' },
    to: { hash: hashOf(templateOf(to, field)), bound: {} },
    from: from === undefined ? [] : [{ hash: hashOf(templateOf(from, field)), mode: 'Recreate' as const }],
    ...(attempt !== undefined && { attempt }),
    ...(supersedes !== undefined && { supersedes }),
    steps: steps as unknown as Step[],
    ...(waves !== undefined && { waves }),
  };
  return { ...content, digest: planDigest(content) };
}

/** An AdvancedCronJob of every hour, with plans: a cluster without a runtime, in which only the rules change anything. */
export class CronCluster {
  now = at('0:00');
  policy: Policy = 'Required';
  plans: RolloutPlanSpec[] = [];
  memory: Accepted[] = [];
  commands: Command[] = [];
  revisions: KubeObject[] = [];
  children: KubeObject[] = [];
  target: KubeObject;
  /** Images whose children fail. */
  broken = new Set<number>();
  /** Reason and message with which they fail. */
  failure: JsonObject = {};
  /** `01:00 1`: the times of children, and their images. */
  created: string[] = [];
  held = '';
  private clock: ProgressClock | undefined;
  private written = 0;

  constructor(template: JsonObject, spec: JsonObject = {}) {
    this.target = cronJobOf({ template, ...spec }, { creationTimestamp: timestamp(this.now) });
  }

  commit(template: JsonObject): void {
    this.target = { ...this.target, spec: { ...objectOf(this.target['spec']), template } };
  }

  command(action: Command['spec']['action']): void {
    const name = `command-${this.commands.length}`;
    const spec = { target: { kind: 'AdvancedCronJob', name: 'tidy' }, action, by: 'mona' };
    this.commands.push({ uid: name, name, createdAt: this.now, spec, result: undefined });
  }

  /** Phase and step of the active plan. */
  get state(): string {
    const [active] = this.memory.toSorted((a, b) => b.progress.seq - a.progress.seq);
    if (active === undefined) return 'no plan';
    return `${active.progress.phase} ${active.spec.steps[active.progress.step]?.id ?? ''}`.trim();
  }

  /** Time passes until the clock shows this; children run for five minutes. */
  until(time: string): this {
    for (; this.now <= at(time); this.now += MINUTE) {
      for (let round = 0; this.reconcile(); round++) if (round > 50) throw new Error('it never settles');
      this.end();
    }
    this.now = at(time);
    return this;
  }

  private end(): void {
    this.children = this.children.map((child) => {
      if (this.now < Date.parse(child.metadata.creationTimestamp ?? '') + 5 * MINUTE) return child;
      const type = this.broken.has(imageOf(child)) ? 'Failed' : 'Complete';
      const startTime = child.metadata.creationTimestamp;
      const why = type === 'Failed' ? this.failure : {};
      return { ...child, status: { startTime, conditions: [{ type, status: 'True', ...why }] } };
    });
  }

  /** Whether the decision changed anything. */
  private reconcile(): boolean {
    const { target, children, revisions, now } = this;
    const snapshot = advancedCronJobKind.observe({
      target,
      pods: [],
      children,
      revisions,
      takenNames: new Set(),
      now,
    });
    const plans = this.plans.map((spec, i) => ({
      name: `plan-${i}`,
      uid: `plan-${i}`,
      spec,
      since: at('0:00'),
      wasStale: false,
      refused: undefined,
    }));
    const side = {
      plans,
      commands: this.commands,
      memory: this.memory,
      progressClock: this.clock,
      inSyncSince: 0,
      policy: this.policy,
      context: emptyContext,
    };
    const decided = reconcile(snapshot, side, now);
    if ('rolloutResult' in decided) this.clock = decided.rolloutResult?.result.progressClock ?? this.clock;
    if (decided.do === 'record') {
      for (const write of decided.writes) {
        if (write.do === 'actions') write.actions.forEach((action) => this.apply(action));
        else if (write.do === 'accept') this.remember(write.spec, write.progress);
        else this.remember(write.accepted.spec, write.accepted.progress);
      }
      return true;
    }
    if (decided.do !== 'act') return false;
    this.target = { ...target, status: decided.status };
    this.held = decided.held?.reason ?? '';
    for (const action of inSequence(decided.actions)) this.apply(action);
    return decided.actions.length > 0;
  }

  private remember(spec: RolloutPlanSpec, progress: Accepted['progress']): void {
    const owner = {
      apiVersion: 'v1',
      kind: 'AdvancedCronJob',
      name: 'tidy',
      uid: 'cron-uid',
      controller: true,
    };
    const stored = parseSnapshot(snapshotObject({ name: 'tidy', namespace: 'ops', owner }, spec, progress));
    if (stored === undefined) throw new Error('the record of the plan cannot be read');
    this.memory = [...this.memory.filter((each) => each.spec.digest !== spec.digest), stored];
  }

  private apply(action: Action): void {
    this.written += 1;
    const own = { uid: `uid-${this.written}`, resourceVersion: String(this.written) };
    if (action.do === 'create') {
      const metadata = { ...action.object.metadata, ...own, creationTimestamp: timestamp(this.now) };
      const object = { ...action.object, metadata };
      if (action.kind === 'ControllerRevision') this.revisions = [...this.revisions, object];
      else this.children = [...this.children, object];
      if (action.kind === 'Child') this.created.push(`${clock(this.now)} ${imageOf(object)}`);
    } else if (action.do === 'patch') {
      this.revisions = this.revisions.map((each) =>
        each.metadata.name === action.name ? patched(each, action.body) : each,
      );
    } else {
      this.children = this.children.filter(({ metadata }) => metadata.name !== action.name);
      this.revisions = this.revisions.filter(({ metadata }) => metadata.name !== action.name);
    }
  }
}

function imageOf(child: KubeObject): number {
  return Number(/job:([0-9]+)/.exec(JSON.stringify(child['spec']))?.[1] ?? 0);
}
