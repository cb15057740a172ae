import type { JsonObject } from '../../../schemas/wire/json.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { approve, commit, create, lose, phase, ready, unitsAt } from '../actions.ts';
import { act, all, type ScriptStep, type World } from '../subject.ts';
import { inPlace, surge, two, web } from './manifests.ts';

const gates = [{ id: 'ok', approve: {} }, all];
const canary = [{ id: 'one', update: { to: 1 } }, ...gates];

const POOL = { matchLabels: { pool: 'canary' } };
const onDelete: JsonObject = { updateStrategy: { type: 'OnDelete' } };
const inBursts: JsonObject = { burstReplicas: 1 };
const atOnce: JsonObject = { maxUnavailable: '100%' };

/** A user deletes a pod with this image, and waits for its successor. */
const byHand = (revision: string): ScriptStep[] => [lose(revision), ready(4)];

/** A user gives a node the label that the selector asks for. */
const select = (name: string): ScriptStep =>
  act(async ({ user }) => {
    const body = { metadata: { labels: POOL.matchLabels } };
    await user.patch(resources.Node, { name }, { type: 'merge', body });
  });

const played: readonly World[] = [
  {
    title: 'created with its plan in an empty namespace',
    target: { ...web(1), metadata: { name: 'other', namespace: 'shop' } },
    makesTarget: true,
    script: [create(web(2), { mode: 'Recreate', from: [web(1)] }), ready(4)],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'in place: all but two nodes, then the last two',
    target: web(1),
    script: [
      commit(web(2, { ...inPlace, partition: 2 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 2 },
      }),
      phase('Succeeded'),
      commit(web(2, { ...inPlace, partition: 0 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 0 },
      }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'in place: a pod of each side is lost before the approval',
    target: web(1),
    script: [
      commit(web(2), { mode: 'InPlace', from: [web(1)], steps: canary }),
      phase('AwaitingApproval'),
      ...byHand('web:2'),
      ...byHand('web:1'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'recreated: the selected nodes, then all others',
    target: web(1, two),
    prepare: (sandbox) => sandbox.nodes.add('node-5', { labels: { pool: 'canary' } }),
    script: [
      commit(web(2, { ...two, selector: POOL }), {
        mode: 'Recreate',
        from: [web(1)],
        bound: { selector: POOL },
      }),
      phase('Succeeded'),
      unitsAt('web:2', 1),
      ready(5),
      commit(web(2, { ...two, selector: null }), { mode: 'Recreate', from: [web(1)] }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 5 } },
  },
  {
    title: 'recreated: the selected nodes, and one that is selected later',
    target: web(1, two),
    prepare: (sandbox) => sandbox.nodes.add('node-5', { labels: { pool: 'canary' } }),
    script: [
      commit(web(2, { ...two, selector: POOL }), {
        mode: 'Recreate',
        from: [web(1)],
        bound: { selector: POOL },
      }),
      phase('Succeeded'),
      select('node-1'),
    ],
    end: { phase: 'Succeeded', units: { 'web:1': 3, 'web:2': 2 } },
  },
  {
    title: 'OnDelete: each node is updated once its pod is deleted',
    target: web(1, two, onDelete),
    script: [
      commit(web(2, two, onDelete), { mode: 'Recreate', from: [web(1)], steps: canary }),
      phase('Running'),
      ...byHand('web:1'),
      phase('AwaitingApproval'),
      approve('ok'),
      phase('Running'),
      ...byHand('web:1'),
      ...byHand('web:1'),
      ...byHand('web:1'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'recreated all at once, with one write of each sort at a time',
    target: web(1, atOnce, inBursts),
    script: [
      commit(web(2, atOnce, inBursts), { mode: 'Recreate', from: [web(1)], steps: canary }),
      phase('AwaitingApproval'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'in place all at once, with one write of each sort at a time',
    target: web(1, { ...inPlace, ...atOnce }, inBursts),
    script: [commit(web(2, { ...inPlace, ...atOnce }, inBursts), { mode: 'InPlace', from: [web(1)] })],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'recreated beside the old pods: a soak fails, and the roll-out goes back',
    hangsOnMoments: true,
    target: web(1, surge),
    // Later than the faults, under which the two nodes may take minutes.
    prepare: (sandbox) => sandbox.images.set('web:2', { crashAfterMs: 300_000 }),
    script: [
      commit(web(2, surge), {
        mode: 'Recreate',
        from: [web(1)],
        steps: [
          { id: 'two', update: { to: 2 }, onFailure: 'Revert' },
          { id: 'soak', soak: { for: '10m' } },
          all,
        ],
      }),
      phase('Soaking'),
    ],
    end: { phase: 'Reverted', units: { 'web:1': 4 } },
  },
  {
    title: 'in place: images are pulled to two nodes at a time, then one',
    target: web(1),
    script: [
      commit(web(2), {
        mode: 'InPlace',
        from: [web(1)],
        steps: [{ id: 'pull', pull: { images: ['web:2'], parallelism: 2 } }, ...canary],
      }),
      phase('AwaitingApproval'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
];

/** What its strategies, its limits and its users do. */
export const worlds: readonly World[] = played.map((world) => ({ ...world, everyCall: true }));
