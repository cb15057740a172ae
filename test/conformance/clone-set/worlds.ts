import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { SPECIFIED_DELETE_LABEL } from '../../../semantics/pod/types.ts';
import { makeClass } from '../../fixtures/storage-class.ts';
import { cloneSet, templateOf } from '../../runtime/stage.ts';
import { approve, commit, create, lose, patch, phase, ready, replaced, unitsAt } from '../actions.ts';
import { act, all, type Change, type ScriptStep, type State, type World } from '../subject.ts';

const gates = [{ id: 'ok', approve: {} }, all];
const canary = [{ id: 'one', update: { to: 1 } }, ...gates];

/** `web` with this image, and with this environment if one is given. */
function web(version: number, spec: JsonObject = {}, strategy: JsonObject = {}, env?: string): KubeObject {
  const image = `web:${version}`;
  const made = cloneSet('web', image, { replicas: 4, ...spec }, strategy);
  if (env === undefined) return made;
  const containers = [{ name: 'main', image, env: [{ name: 'LOG', value: env }] }];
  const template = { ...templateOf('web', image), spec: { containers } };
  return { ...made, spec: { ...(made['spec'] as JsonObject), template } };
}

function images(strategy: JsonObject): Change['states'] {
  const at = (version: number): State => ({
    manifest: web(version, {}, strategy),
    revision: `web:${version}`,
    image: `web:${version}`,
  });
  return [at(1), at(2), at(3)];
}

function environments(spec: JsonObject, strategy: JsonObject): Change['states'] {
  const at = (env: string): State => ({
    manifest: web(1, spec, strategy, env),
    revision: `web:1 ${env}`,
  });
  return [at('info'), at('debug'), at('trace')];
}

/** Two at a time. */
const two = { maxUnavailable: 2 };

export const changes: readonly Change[] = [
  { title: 'in place', mode: 'InPlace', states: images({ maxUnavailable: 1 }) },
  {
    title: 'recreated two at a time',
    mode: 'Recreate',
    states: environments({ minReadySeconds: 5 }, two),
  },
];

const surge = { maxUnavailable: 1, maxSurge: 1 };

const updates: readonly World[] = [
  {
    title: 'recreated with surge: one, an approval, all',
    target: web(1, {}, surge),
    script: [
      commit(web(1, {}, surge, 'debug'), { mode: 'Recreate', from: [web(1)], steps: canary }),
      phase('AwaitingApproval'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', units: { 'web:1 debug': 4 } },
  },
  {
    title: 'in place: all but two, then the last two',
    target: web(1, { replicas: 5 }, two),
    script: [
      commit(web(2, { replicas: 5 }, { ...two, partition: 2 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 2 },
      }),
      phase('Succeeded'),
      commit(web(2, { replicas: 5 }, { ...two, partition: 0 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 0 },
      }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 5 } },
  },
  {
    title: 'in place: a pod of each side is lost before the approval',
    target: web(1, {}, two),
    script: [
      commit(web(2, {}, two), { mode: 'InPlace', from: [web(1)], steps: canary }),
      phase('AwaitingApproval'),
      lose('web:2'),
      ready(4),
      lose('web:1'),
      ready(4),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'in place: a soak fails, and the roll-out goes back',
    hangsOnMoments: true,
    target: web(1, {}, two),
    prepare: (sandbox) => sandbox.images.set('web:2', { crashAfterMs: 300_000 }),
    script: [
      commit(web(2, {}, two), {
        mode: 'InPlace',
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
];

const pulls: World = {
  title: 'in place: images are pulled to two nodes at a time, then one',
  target: web(1, {}, two),
  script: [
    commit(web(2, {}, two), {
      mode: 'InPlace',
      from: [web(1)],
      steps: [{ id: 'pull', pull: { images: ['web:2'], parallelism: 2 } }, ...canary],
    }),
    phase('AwaitingApproval'),
    approve('ok'),
  ],
  end: { phase: 'Succeeded', units: { 'web:2': 4 } },
};

const creation: World = {
  title: 'created with its plan in an empty namespace',
  target: cloneSet('other', 'other:1', { replicas: 1 }),
  makesTarget: true,
  script: [create(web(2), { mode: 'Recreate', from: [web(1)] }), ready(4)],
  end: { phase: 'Succeeded', units: { 'web:2': 4 } },
};

const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const withData = { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: storage }] };
const withoutReuse = { ...withData, scaleStrategy: { enablePVCReuse: false } };

const claims: readonly World[] = [
  {
    title: 'a pod with a claim is recreated',
    target: web(1, withData),
    prepare: makeClass,
    script: [commit(web(1, withData, {}, 'debug'), { mode: 'Recreate', from: [web(1)] })],
    end: { phase: 'Succeeded', units: { 'web:1 debug': 1 } },
  },
  {
    title: 'a pod is lost, and its claim is not for its successor',
    target: web(1, withoutReuse),
    prepare: makeClass,
    script: [replaced('web:1'), commit(web(2, withoutReuse), { mode: 'InPlace', from: [web(1)] })],
    end: { phase: 'Succeeded', units: { 'web:2': 1 } },
  },
];

/** A user marks two pods to be deleted, and waits for what replaces them. */
function markTwo(): ScriptStep[] {
  let marked: readonly string[] = [];
  return [
    act(async ({ user, ledger }) => {
      const pods = ledger.pods().slice(0, 2);
      marked = pods.map(({ metadata }) => metadata.name);
      const body = { metadata: { labels: { [SPECIFIED_DELETE_LABEL]: 'true' } } };
      for (const { namespace = '', name } of pods.map(({ metadata }) => metadata))
        await user.patch(resources.Pod, { namespace, name }, { type: 'merge', body });
    }),
    async ({ when }) =>
      when('the end of the marked pods', (ledger) =>
        ledger.pods().every(({ metadata }) => !marked.includes(metadata.name)),
      ),
    ready(4),
  ];
}

const deletions: readonly World[] = [
  {
    title: 'two pods are marked to be deleted, and go one after the other',
    target: web(1),
    script: [...markTwo(), commit(web(2), { mode: 'InPlace', from: [web(1)] })],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'a pod with a claim is scaled in, and wanted again before it is gone',
    sizeChanges: true,
    hangsOnMoments: true,
    mayBeMissed: true,
    reusesNames: true,
    target: web(1, { ...withData, replicas: 2 }),
    prepare: makeClass,
    script: [
      patch({ replicas: 1 }),
      patch({ replicas: 2 }),
      ready(2),
      commit(web(2, { ...withData, replicas: 2 }), {
        mode: 'InPlace',
        from: [web(1, { ...withData, replicas: 2 })],
      }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 2 } },
  },
];

const scaling: World = {
  title: 'an autoscaler goes from 5 to 2 to 6 in the middle of a batch',
  sizeChanges: true,
  target: web(1, { replicas: 5 }),
  script: [
    commit(web(2, { replicas: 5 }), {
      mode: 'InPlace',
      from: [web(1)],
      steps: [{ id: 'most', update: { to: '60%' } }, ...gates],
    }),
    unitsAt('web:2', 1),
    patch({ replicas: 2 }),
    ready(2),
    patch({ replicas: 6 }),
    phase('AwaitingApproval'),
    ready(6),
    approve('ok'),
  ],
  end: { phase: 'Succeeded', units: { 'web:2': 6 } },
};

export const worlds: readonly World[] = [...updates, pulls, creation, ...claims, ...deletions, scaling].map(
  (world) => ({
    ...world,
    everyCall: true,
  }),
);
