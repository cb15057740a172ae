import { authorized, serviceAccount, type World } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { createComponents, offComponents } from '../../runtime/components.ts';
import { reviewRights } from '../../runtime/review-rights.ts';
import type { Right } from '../../runtime/rights.ts';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { childKinds } from '../../semantics/uniteddeployment/child-kinds.ts';
import { united } from '../runtime/united-world.ts';
import { createCronWorld, type CronWorld, OPS, tidy } from '../runtime/cron-world.ts';
import { orderedCloneSet } from '../runtime/stage.ts';
import { clusterWide, component, launchIn } from './roles.ts';
import { grant } from './scenario.ts';

const user = serviceAccount('kruise-system', 'kruise-runtime');
const EVERYWHERE = { namespace: undefined, lease: undefined };

type Told = 'AdvancedCronJob' | 'CloneSet' | 'UnitedDeployment';

/** A world whose runtime has the rights of these roles alone, and finds out by itself what it may do. */
interface Installed extends CronWorld {
  /** `list jobs`: what the authorizer was asked, each time. */
  asked: string[];
  refused: string[];
  /** Condition and Events of a target. */
  told(kind: Told, name: string): Promise<{ held: string; events: string[] }>;
}

let it: Installed;
afterEach(async () => it.stop());

/** The Role of the election needs a namespace of its own, and there is none here. */
const inCluster = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(({ metadata, kind }) => metadata.namespace === undefined || kind === 'RoleBinding');
const shipped = inCluster(clusterWide()).filter(({ kind }) => kind !== 'RoleBinding');

async function installed(objects: readonly KubeObject[]): Promise<Installed> {
  const asked: string[] = [];
  const refused: string[] = [];
  function start(options: RuntimeOptions, world: World) {
    grant(world, objects);
    const cluster = authorized(world, user, ({ verb, resource }, isAllowed) => {
      asked.push(`${verb} ${resource}`);
      if (!isAllowed) refused.push(`${verb} ${resource}`);
    });
    const components = createComponents({
      clock: options.clock,
      cluster,
      where: EVERYWHERE,
      onGranted: () => runtime.reconcileAll(),
    });
    const runtime = createRuntime({ ...options, cluster, isOff: components.isOff });
    return {
      start() {
        const lackingOf = async (rights: readonly Right[]) => (await reviewRights(cluster, rights)).lacking;
        void offComponents(EVERYWHERE, lackingOf).then((off) => {
          components.found(off);
          runtime.start();
        });
      },
      stop() {
        components.stop();
        return runtime.stop();
      },
    };
  }
  const world = await createCronWorld({ policy: 'Auto', start });
  return Object.assign(world, {
    asked,
    refused,
    async told(kind: Told, name: string) {
      const { status = {} } = await world.user.get(resources[kind], { namespace: OPS, name });
      const { conditions = [] } = status as { conditions?: Record<string, string>[] };
      const held = conditions.find(({ type }) => type === 'plan.kruise.io/Held');
      const { items } = await world.user.list(resources.Event, { namespace: OPS });
      const own = items.filter(
        (event) => (event['involvedObject'] as { name?: string } | undefined)?.name === name,
      );
      return {
        held: held?.['status'] === 'True' ? `${held['reason'] ?? ''}: ${held['message'] ?? ''}` : '',
        events: own.map(
          (event) => `${String(event['type'])} ${String(event['reason'])}: ${String(event['message'])}`,
        ),
      };
    },
  });
}

const OFF =
  'ComponentOff: it creates jobs, which is off in this installation: an administrator adds the component native-workloads of deploy/ (docs/install.md)';

describe('without the component native-workloads', () => {
  test('a schedule of Jobs says that it is off, and by what it is turned on; nobody asks for Jobs', async () => {
    it = await installed(shipped);
    await it.apply(tidy());
    await it.until('1:00');
    expect(await it.told('AdvancedCronJob', 'tidy')).toEqual({ held: OFF, events: [`Warning Held: ${OFF}`] });
    expect(it.asked.filter((each) => each.endsWith(' jobs'))).toEqual([]);
    expect([it.refused, it.errors, it.created]).toEqual([[], [], []]);
    // Three questions about launch orders, five about Jobs, three each about Deployments and StatefulSets, five each about ConfigMaps and Secrets, six about protected objects, and two about commands, at the start and every five minutes.
    const reviews = it.asked.filter((each) => each.endsWith(' selfsubjectaccessreviews'));
    expect(reviews.length).toBeLessThanOrEqual(32 * 13);
  });

  test('a schedule of BroadcastJobs runs', async () => {
    it = await installed(shipped);
    await it.apply(tidy({ of: 'BroadcastJob' }));
    await it.until('0:02:10');
    expect(it.created).toEqual(['00:01 tidy:1', '00:02 tidy:1']);
    expect((await it.told('AdvancedCronJob', 'tidy')).held).toBe('');
    expect([it.refused, it.errors]).toEqual([[], []]);
  });

  test('subsets of Deployments and StatefulSets say that they are off, until the component is there; subsets of CloneSets run', async () => {
    it = await installed(shipped);
    const at = (name: string) => ({ name, namespace: OPS });
    for (const [name, field] of [
      ['pods', 'cloneSetTemplate'],
      ['parts', 'deploymentTemplate'],
      ['sets', 'statefulSetTemplate'],
    ] as const)
      await it.user.create(resources.UnitedDeployment, { ...united({ field }), metadata: at(name) });
    await it.until('0:02');
    expect((await it.told('UnitedDeployment', 'pods')).held).toBe('');
    for (const [name, plural] of [
      ['parts', 'deployments'],
      ['sets', 'statefulsets'],
    ] as const)
      expect((await it.told('UnitedDeployment', name)).held).toBe(OFF.replace('jobs', plural));
    expect([it.refused, it.errors]).toEqual([[], []]);
    grant(it.world, component('native-workloads'));
    await it.until('0:08');
    const children = await Promise.all(
      childKinds.map(({ resource }) => it.user.list(resource, { namespace: OPS })),
    );
    expect(children.map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
      ['pods-a', 'pods-b', 'pods-c'],
      [],
      ['parts-a', 'parts-b', 'parts-c'],
      ['sets-a', 'sets-b', 'sets-c'],
    ]);
    expect([it.refused, it.errors]).toEqual([[], []]);
  });

  test('a schedule that gets a template of BroadcastJobs runs, and one that gets Jobs stops', async () => {
    it = await installed(shipped);
    await it.apply(tidy());
    await it.until('0:02:10');
    await it.apply(tidy({ of: 'BroadcastJob' }));
    await it.until('0:04:10');
    expect(it.created.slice(-1)).toEqual(['00:04 tidy:1']);
    await it.apply(tidy());
    await it.until('0:06:10');
    expect(it.created.slice(-1)).toEqual(['00:04 tidy:1']);
    expect((await it.told('AdvancedCronJob', 'tidy')).held).toBe(OFF);
    expect([it.refused, it.errors]).toEqual([[], []]);
  });
});

describe('with the component native-workloads', () => {
  test('a schedule of Jobs runs', async () => {
    it = await installed([...shipped, ...component('native-workloads')]);
    await it.apply(tidy());
    await it.until('0:02:10');
    expect(it.created).toEqual(['00:01 tidy:1', '00:02 tidy:1']);
    expect((await it.told('AdvancedCronJob', 'tidy')).held).toBe('');
    expect([it.refused, it.errors]).toEqual([[], []]);
  });

  test('it runs within five minutes once the component is added to a running installation', async () => {
    it = await installed(shipped);
    await it.apply(tidy());
    await it.until('0:07:30');
    expect(it.created).toEqual([]);
    grant(it.world, component('native-workloads'));
    await it.until('0:12:30');
    expect(it.created.length).toBeGreaterThan(1);
    expect((await it.told('AdvancedCronJob', 'tidy')).held).toBe('');
    expect([it.refused, it.errors]).toEqual([[], []]);
  });
});

describe('launch orders', () => {
  const at = { namespace: OPS, name: 'mesh' };
  const mesh = (): KubeObject => {
    const made = orderedCloneSet('mesh', 'mesh:1');
    return { ...made, metadata: { ...made.metadata, namespace: OPS } };
  };
  const isReady = async (): Promise<boolean> => {
    const { status = {} } = await it.user.get(resources.CloneSet, at);
    return (status as { readyReplicas?: number }).readyReplicas === 1;
  };

  test('as shipped are held, which names the binding and the component, until the namespace has the binding', async () => {
    it = await installed(shipped);
    await it.user.create(resources.CloneSet, mesh());
    await it.until('0:02');
    const { held } = await it.told('CloneSet', 'mesh');
    expect(held).toMatch(/^FailedCreate: .*configmaps/);
    expect(held).toContain(
      'launch orders are off in namespace ops. Bind the ClusterRole kruise-runtime-launch there, or add the component launch-everywhere of deploy/',
    );
    expect(await isReady()).toBe(false);
    grant(it.world, [launchIn(OPS)]);
    await it.until('0:04');
    expect([await isReady(), (await it.told('CloneSet', 'mesh')).held]).toEqual([true, '']);
  });

  test('with the component launch-everywhere are there in every namespace', async () => {
    it = await installed([...shipped, ...component('launch-everywhere')]);
    await it.user.create(resources.CloneSet, mesh());
    await it.until('0:02');
    expect([await isReady(), it.refused, it.errors]).toEqual([true, [], []]);
  });
});
