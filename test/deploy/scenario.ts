import { injectingWorld } from '../fixtures/injecting-world.ts';
import type { OffComponent } from '../../runtime/components.ts';
import { createBreakGlassRule } from '../../runtime/break-glass.ts';
import { createLeadership } from '../../runtime/lead/leadership.ts';
import { leaderAt, OPENKRUISE } from '../../runtime/lead/competing-controllers.ts';
import { inNamespace } from '../../runtime/observe/one-namespace.ts';
import { preflight } from '../../runtime/preflight.ts';
import { kindsWithin } from '../../runtime/rights.ts';
import { missingPolicies } from '../../runtime/pod-policies.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import {
  authorized,
  createVirtualClock,
  type ResourceAttributes,
  type UserInfo,
  type World,
} from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { instanceId } from '../../semantics/cloneset/pods.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { controllerOf } from '../../semantics/owner.ts';
import type { Policy } from '../../semantics/policy.ts';
import { snapshotName } from '../../semantics/plan/memory.ts';
import { statefulSet } from '../fixtures/stateful-set.ts';
import { connectionTo } from '../runtime/process-world.ts';
import { runCopies } from './copies.ts';
import { runEvents } from './events.ts';
import { runBudgets } from './budgets.ts';
import { runClaims } from './claims.ts';
import { runSpreads } from './spreads.ts';
import { runNodeJob, runNodePods, runSchedules } from './schedules.ts';
import { runRequests } from './pull-jobs.ts';
import { runUnitedDeployments } from './united-deployments.ts';
import { runSidecarSet } from './sidecar-sets.ts';
import { cloneSet, orderedCloneSet, planOf, templateOf } from '../runtime/stage.ts';
import { budgetPolicy, commandPolicy } from './roles.ts';

const group = 'rbac.authorization.k8s.io';
const plurals: Readonly<Record<string, string>> = {
  Role: 'roles',
  ClusterRole: 'clusterroles',
  RoleBinding: 'rolebindings',
  ClusterRoleBinding: 'clusterrolebindings',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: 'validatingadmissionpolicybindings',
};
const SHOP = 'shop';
const [MINUTE, DAY] = [60_000, 86_400_000];
const at = (name: string) => ({ namespace: SHOP, name });

/** Under which permissions the runtime works. */
export interface Terms {
  /** Roles and bindings. */
  objects: readonly KubeObject[];
  user: UserInfo;
  /** The one namespace that it looks after; undefined: all. */
  only: string | undefined;
}

export interface Outcome {
  /** What the runtime has asked for, each once. */
  asked: ResourceAttributes[];
  /** What the authoriser has refused, in order. */
  refused: ResourceAttributes[];
  /** What did not come about as it should. */
  failed: string[];
}

type Stage = readonly [what: string, comesAbout: () => Promise<boolean>];

/** Puts the roles into a world. */
export function grant(world: World, objects: readonly KubeObject[]): void {
  for (const object of objects)
    world.server.create('admin', { group, version: 'v1', plural: plurals[object.kind] ?? '' }, object);
}

/**
 * A day of the runtime under these roles: it looks whether everything is there, competes for the Lease, makes pods,
 * updates them in place and anew, scales, meets taken names, asks nodes, answers commands and forgets them, truncates
 * revisions, and repeats an Event.
 */
export async function longDay({ objects, user, only }: Terms): Promise<Outcome> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = injectingWorld(clock, { workloads: false });
  const admin = world.cluster('admin');
  grant(world, objects);
  for (const object of [...commandPolicy(), ...budgetPolicy()])
    world.server.create(
      'admin',
      { group: 'admissionregistration.k8s.io', version: 'v1', plural: plurals[object.kind] ?? '' },
      object,
    );
  const outcome: Outcome = { asked: [], refused: [], failed: [] };
  const known = new Set<string>();
  const guard = authorized(world, user, (asked, allowed) => {
    if (!allowed) outcome.refused.push(asked);
    const text = JSON.stringify(asked);
    if (known.has(text)) return;
    known.add(text);
    outcome.asked.push(asked);
  });
  const cluster: Cluster = only === undefined ? guard : inNamespace(guard, clock, only);
  const lease = {
    namespace: only ?? 'kruise-system',
    name: only === undefined ? 'kruise' : `kruise-${only}`,
  };
  let leads = false;
  const leadership = createLeadership({
    cluster: guard,
    clock,
    random: () => 0.5,
    identity: 'one',
    ...lease,
    onLeading: () => void (leads = true),
    onLost: () => void (leads = false),
  });
  const breakGlass = createBreakGlassRule({ cluster, clock, allow: 'policy' });
  let off: readonly OffComponent[] = [];
  const startRuntime = (policy: Policy = 'Required') => {
    const made = createRuntime({
      kinds: kindsWithin(kinds, { namespace: only, lease }),
      // A client of its own, as each process has one: it knows no Event that another has sent.
      cluster: { ...cluster },
      clock,
      policy,
      breakGlassRefusal: breakGlass.refusalOf,
      isOff: (component) => off.some((each) => each.component === component),
      maxRunning: 10,
      random: () => 0.5,
    });
    made.start();
    return made;
  };
  let runtime: ReturnType<typeof startRuntime> | undefined;

  const patch = (spec: JsonObject) =>
    admin.patch(resources.CloneSet, at('web'), { type: 'merge', body: { spec } });
  const pods = async () =>
    (await admin.list(resources.Pod, { namespace: SHOP, labelSelector: 'app=web' })).items;
  const run = async (image: string, count: number): Promise<boolean> => {
    const found = (await pods()).map(
      (pod) => (pod['spec'] as { containers: { image: string }[] }).containers[0]?.image,
    );
    return found.length === count && found.every((each) => each === image);
  };
  const statusOf = async (kind: 'CloneSet' | 'RolloutPlan' | 'RolloutCommand', name: string) =>
    ((await admin.get(resources[kind], at(name)))['status'] ?? {}) as Record<string, unknown>;
  const phase = async () => (await statusOf('RolloutPlan', 'cloneset-web'))['phase'];
  const uids = async () => (await pods()).map(({ metadata }) => metadata.uid).join();

  const plan = planOf('web', 'web:1', 'web:2', {
    steps: [
      { id: 'first', update: { to: '34%' } },
      // The namespaced runtime sees no nodes.
      ...(only === undefined ? [{ id: 'nodes', check: { use: 'nodes' } }] : []),
      { id: 'agree', approve: {} },
      { id: 'all', update: { to: '100%' } },
    ],
  });
  const { digest } = plan['spec'] as { digest: string };

  const anew = (step: number): Stage => [
    `pods are made anew as web:${step}`,
    async () => {
      await admin.delete(resources.RolloutPlan, at('cloneset-web'));
      await admin.create(
        resources.RolloutPlan,
        planOf('web', `web:${step - 1}`, `web:${step}`, { attempt: step }),
      );
      await patch({
        template: templateOf('web', `web:${step}`),
        updateStrategy: { rollingUpdate: { podUpdatePolicy: 'ReCreate' } },
      });
      await clock.advance(5 * MINUTE);
      return run(`web:${step}`, 3);
    },
  ];

  const isNativeOn = (): boolean => !off.some(({ component }) => component === 'native-workloads');
  const stages: Stage[] = [
    [
      'everything is there',
      async () => {
        const connection = connectionTo('https://10.0.0.1');
        const looking = preflight(cluster, { connection, namespace: only, lease });
        await clock.settle();
        const { problem, ...found } = await looking;
        ({ off } = found);
        await breakGlass.observe();
        return (
          problem === undefined &&
          (await leaderAt(OPENKRUISE, cluster, clock)) === undefined &&
          // A Role reaches no policies.
          (breakGlass.refusal === undefined) === (only === undefined)
        );
      },
    ],
    [
      'acquired the lease',
      async () => {
        leadership.start();
        await clock.advance(20_000);
        return leads;
      },
    ],
    [
      'the Lease is handed back',
      async () => {
        const left = leadership.stop();
        await clock.advance(10_000);
        await left;
        const { spec } = await admin.get(resources.Lease, lease);
        return (spec as { holderIdentity?: string }).holderIdentity === '';
      },
    ],
    [
      "pods are made, though the first one's name is somebody else's",
      async () => {
        runtime = startRuntime();
        const spec = { replicas: 0, revisionHistoryLimit: 0 };
        const { metadata } = await admin.create(resources.CloneSet, cloneSet('web', 'web:1', spec));
        await admin.create(resources.Pod, {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `web-${instanceId(metadata.uid ?? '', 0)}`, namespace: SHOP },
          spec: { containers: [{ name: 'other', image: 'other:1' }] },
        });
        await clock.advance(10_000);
        await patch({ replicas: 3 });
        await clock.advance(MINUTE);
        return run('web:1', 3);
      },
    ],
    ['the target tells its status', async () => (await statusOf('CloneSet', 'web'))['readyReplicas'] === 3],
    [
      "a plan waits for approval, though the name of its memory is somebody else's",
      async () => {
        await admin.create(resources.ControllerRevision, {
          apiVersion: 'apps/v1',
          kind: 'ControllerRevision',
          metadata: { name: snapshotName('web', digest), namespace: SHOP },
          revision: 1,
          data: {},
        });
        await admin.create(resources.RolloutPlan, plan);
        await patch({ template: templateOf('web', 'web:2') });
        await clock.advance(5 * MINUTE);
        return (await phase()) === 'AwaitingApproval';
      },
    ],
    [
      'it goes on in place when it is approved',
      async () => {
        const before = await uids();
        await admin.create(resources.RolloutCommand, {
          apiVersion: 'plan.kruise.io/v1alpha1',
          kind: 'RolloutCommand',
          metadata: { name: 'yes', namespace: SHOP },
          spec: {
            target: { kind: 'CloneSet', name: 'web' },
            action: 'Approve',
            step: 'agree',
            digest,
            by: 'admin',
          },
        });
        await clock.advance(5 * MINUTE);
        return (await run('web:2', 3)) && (await uids()) === before && (await phase()) === 'Succeeded';
      },
    ],
    ['the yes is answered', async () => (await statusOf('RolloutCommand', 'yes'))['result'] === 'Accepted'],
    anew(3),
    anew(4),
    [
      "pods with claims are made and deleted, though the first claim's name is somebody else's",
      () => runClaims(admin, clock),
    ],
    [
      'the containers of a pod start in their order',
      async () => {
        await admin.create(resources.CloneSet, orderedCloneSet('mesh', 'mesh:1'));
        await clock.advance(MINUTE);
        return (await statusOf('CloneSet', 'mesh'))['readyReplicas'] === 1;
      },
    ],
    [
      'numbered pods are created',
      async () => {
        await admin.create(resources.StatefulSet, statefulSet('log', 'log:1'));
        await clock.advance(5 * MINUTE);
        const { status } = await admin.get(resources.StatefulSet, at('log'));
        return (status as { readyReplicas?: number }).readyReplicas === 3;
      },
    ],
    [
      'the pods of a StatefulSet that was deleted with --cascade=orphan are adopted',
      async () => {
        const uidsOf = async (): Promise<(string | undefined)[]> => {
          const { items } = await admin.list(resources.Pod, { namespace: SHOP, labelSelector: 'app=log' });
          return items.map(({ metadata }) => metadata.uid);
        };
        const before = await uidsOf();
        await admin.delete(resources.StatefulSet, at('log'), { propagationPolicy: 'Orphan' });
        await clock.advance(MINUTE);
        const { metadata } = await admin.create(resources.StatefulSet, statefulSet('log', 'log:1'));
        await clock.advance(MINUTE);
        const after = await admin.list(resources.Pod, { namespace: SHOP, labelSelector: 'app=log' });
        const isAdopted = after.items.every((pod) => controllerOf(pod)?.uid === metadata.uid);
        return isAdopted && before.length === 3 && JSON.stringify(await uidsOf()) === JSON.stringify(before);
      },
    ],
    [
      'revisions that nothing needs are gone',
      async () => {
        const { items } = await admin.list(resources.ControllerRevision, { namespace: SHOP });
        return items.every(({ data }) => !JSON.stringify(data).includes('"web:1"'));
      },
    ],
    [
      'a change without a plan is held',
      async () => {
        await patch({ template: templateOf('web', 'web:9') });
        await clock.advance(MINUTE);
        return run('web:4', 3);
      },
    ],
    [
      'what is said again after a restart is counted',
      async () => {
        void runtime?.stop();
        await clock.settle();
        runtime = startRuntime();
        for (const replicas of [4, 3, 4, 3]) {
          await patch({ replicas });
          await clock.advance(2 * MINUTE);
        }
        const { items } = await admin.list(resources.Event, { namespace: SHOP });
        return items.some((event) => Number(event['count']) > 1) && run('web:4', 3);
      },
    ],
    [
      'a job on every node is deleted after its end',
      async () => {
        void runtime?.stop();
        await clock.settle();
        runtime = startRuntime('Auto');
        world.images.set('fix:1', { exitAfterMs: 1_000 });
        return runNodeJob(admin, clock, only === undefined);
      },
    ],
    ['every node gets a pod', () => runNodePods(admin, clock, only === undefined)],
    ['a process counts an Event of the one before', () => runEvents(admin, clock, cluster)],
    ['budgets are counted, whatever they name', () => runBudgets(admin, clock)],
    ['pods are counted by subset', () => runSpreads(admin, clock)],
    ['what people ask for is done at once', () => runRequests(admin, clock, off, only === undefined)],
    ['children of subsets come, grow and go', () => runUnitedDeployments(admin, clock, isNativeOn())],
    [
      'a start finds the policy that enforces them on others',
      async () => (await missingPolicies(cluster, kinds, only)).length === 0,
    ],
    // In one namespace there are no targets of the cluster.
    ...(only === undefined
      ? ([
          ['a set updates a pod of nobody', () => runSidecarSet(admin, clock)],
          [
            'copies are made, reverted and deleted',
            () => runCopies(admin, clock, !off.some(({ component }) => component === 'secrets')),
          ],
        ] satisfies Stage[])
      : []),
    ['schedules replace children, and meet taken names', () => runSchedules(admin, clock, isNativeOn())],
    [
      'the command is forgotten after a day',
      async () => {
        await clock.advance(DAY);
        const { items } = await admin.list(resources.RolloutCommand, { namespace: SHOP });
        return items.length === 0;
      },
    ],
  ];

  for (const [what, comesAbout] of stages) {
    try {
      if (!(await comesAbout())) outcome.failed.push(what);
    } catch (error) {
      outcome.failed.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  void runtime?.stop();
  const left = leadership.stop();
  await clock.advance(10_000);
  await left;
  world.stop();
  return outcome;
}
