import { parse } from 'yaml';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { controllerReference } from '../../../semantics/owner.ts';
import {
  type LeftChild,
  openKruiseChange,
  openKruiseChild,
  openKruiseRevision,
  openKruiseStatus,
} from '../../runtime/openkruise-united.ts';
import { phase } from './acts.ts';
import type { Case } from './case.ts';
import type { Program } from './programs.ts';
import { bySubset, change, FIRST, has, NEXT, united } from './united-manifest.ts';
import type { RolloutCase } from './suite.ts';

const GROUP = '/apis/apps.kruise.io/v1beta1';
const MERGE = 'application/merge-patch+json';

/** Its account: policies let nobody write what it has made but the runtime, and it. */
const OPENKRUISE = 'system:serviceaccount:kruise-system:kruise-manager';

/** Those at the end of the name of a child, which records have. */
const LETTERS = 'openk';

/** One pod of each subset has the change. */
const CHILDREN: readonly LeftChild[] = [
  { subset: 'a', letters: LETTERS, pods: 2, updated: 1 },
  { subset: 'b', letters: LETTERS, pods: 1, updated: 1 },
];

async function startRuntime(c: Case, ...more: readonly string[]): Promise<Program> {
  return c.world.startRuntime({
    only: c.namespace,
    args: ['--no-leader-election', '--policy', 'Auto', ...more],
  });
}

/**
 * Writes what OpenKruise has made when it is stopped. Its pods are those of CloneSets that nothing controls yet, and nothing is left of the
 * records of the runtime that has made them.
 */
async function leave(c: Case): Promise<void> {
  const { rest } = c.world.server;
  const { namespace } = c;
  const inKruise = (plural: string): string => `${GROUP}/namespaces/${namespace}/${plural}`;
  const write = (verb: string, stdin?: string): Promise<string> =>
    c.world.administer(`${verb} -n ${namespace} --as ${OPENKRUISE} --as-group system:masters`, stdin);
  const [before, after] = [FIRST, NEXT].map((image): KubeObject => {
    const manifest = parse(united({ image })) as KubeObject;
    return { ...manifest, metadata: { ...manifest.metadata, namespace } };
  }) as [KubeObject, KubeObject];
  const manager = await startRuntime(c);
  for (const each of CHILDREN) await rest('POST', inKruise('clonesets'), openKruiseChild(before, each));
  const updated = (count: number): Promise<unknown> =>
    c.until(`three pods, of which ${count} are updated`, ({ pods }) => {
      const isNext = pods.filter((pod) => JSON.stringify(pod.spec).includes(NEXT));
      return pods.length === 3 && pods.every(isReady) && isNext.length === count;
    });
  await updated(0);
  for (const each of CHILDREN) {
    const path = `${inKruise('clonesets')}/web-${each.subset}-${each.letters}`;
    await rest('PATCH', path, openKruiseChange(after, each), MERGE);
  }
  await updated(2);
  await manager.stop();
  const { revisions } = await c.snapshot(['revisions']);
  for (const { metadata } of revisions) {
    const records = Object.keys(metadata.annotations ?? {}).filter((key) =>
      key.startsWith('plan.kruise.io/'),
    );
    if (records.length > 0)
      await write(
        `annotate controllerrevision ${metadata.name} ${records.map((key) => `${key}-`).join(' ')}`,
      );
  }
  const root = (await rest('POST', inKruise('uniteddeployments'), after)) as KubeObject;
  await rest('PATCH', `${inKruise('uniteddeployments')}/web/status`, openKruiseStatus(root, true), MERGE);
  await write('create -f -', JSON.stringify(openKruiseRevision(root, before, 'before')));
  await write('create -f -', JSON.stringify(openKruiseRevision(root, after, 'after')));
  const metadata = { namespace, ownerReferences: [controllerReference(root)] };
  for (const { subset, letters } of CHILDREN) {
    const name = `web-${subset}-${letters}`;
    const child = { apiVersion: root.apiVersion, kind: 'CloneSet', metadata: { ...metadata, name } };
    await write('apply --server-side -f -', JSON.stringify(child));
  }
}

function isReady({ status }: { status?: Record<string, unknown> }): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}

/** A UnitedDeployment of OpenKruise: the case has a runtime of its own, which starts once OpenKruise is stopped. */
export const adopted: RolloutCase[] = [
  {
    golden: 'united-from-openkruise.txt',
    title: 'a UnitedDeployment is taken over from OpenKruise in the middle of its rollout, without a restart',
    kind: 'UnitedDeployment',
    steps: bySubset,
    async play(c) {
      await leave(c);
      await c.mark();
      await startRuntime(c, '--adopt');
      await c.until('it waits for its plan', (snapshot) => isHeld(snapshot) && has(snapshot, 2, 1, 2));
      await c.kubectl('get clonesets');
      await c.status();
      await c.retained();

      c.note('Git has both states, and the plan from one to the other.');
      await c.commit(united({ image: FIRST }));
      await change(c, { image: NEXT });
      await phase(c, 'AwaitingApproval', (snapshot) => has(snapshot, 2, 1, 2));
      await c.show();
      await c.kruise(`approve UnitedDeployment/web --by ${c.world.user}`);
      await phase(c, 'Succeeded', (snapshot) => has(snapshot, 2, 1));
      await c.kubectl('get clonesets');
      await c.retained();
    },
  },
];

function isHeld({ targets: [target] }: Parameters<typeof has>[0]): boolean {
  const { conditions = [] } = (target?.status ?? {}) as {
    conditions?: { type: string; status: string; reason: string }[];
  };
  return conditions.some(({ type, reason }) => type === 'plan.kruise.io/Held' && reason === 'NoPlan');
}
