import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { controllerOf } from '../../../semantics/owner.ts';
import { statefulSet } from '../../fixtures/stateful-set.ts';
import { makeClass, makeGrowingClass } from '../../fixtures/storage-class.ts';
import { approve, commit, create, lose, patch, phase, ready, replaced, unitsAt } from '../actions.ts';
import {
  all,
  type Change,
  type ScriptStep,
  locationOf,
  NAME,
  NAMESPACE,
  type Setup,
  type State,
  type World,
} from '../subject.ts';

const gates = [{ id: 'ok', approve: {} }, all];
const canary = [{ id: 'one', update: { to: 1 } }, ...gates];
const parallel = { podManagementPolicy: 'Parallel' };
const two = { maxUnavailable: 2 };

/** `web` with this image, and with this environment if one is given: four pods, updated in place if possible. */
function web(version: number, spec: JsonObject = {}, rolling: JsonObject = {}, env?: string): KubeObject {
  const image = `web:${version}`;
  const container: JsonObject = env === undefined ? { image } : { image, env: [{ name: 'LOG', value: env }] };
  return statefulSet(NAME, container, { replicas: 4, ...spec }, rolling);
}

function images(spec: JsonObject, rolling: JsonObject): Change['states'] {
  const at = (version: number): State => ({
    manifest: web(version, spec, rolling),
    revision: `web:${version}`,
    image: `web:${version}`,
  });
  return [at(1), at(2), at(3)];
}

function environments(spec: JsonObject, rolling: JsonObject): Change['states'] {
  const at = (env: string): State => ({
    manifest: web(1, spec, rolling, env),
    revision: `web:1 ${env}`,
  });
  return [at('info'), at('debug'), at('trace')];
}

/** Waits until there is no pod of this name. */
function gone(name: string): ScriptStep {
  return ({ when }) =>
    when(`${name} is gone`, (ledger) => ledger.pods().every(({ metadata }) => metadata.name !== name));
}

/** Deletes the target with `--cascade=orphan`, and creates it anew. */
const createdAnew: ScriptStep = async ({ subject: { kind }, user, when }) => {
  await user.delete(kind.resource, locationOf(kind.resource), { propagationPolicy: 'Orphan' });
  await when('the target is gone', (ledger) => ledger.target() === undefined);
  await user.create(kind.resource, web(1, parallel, two));
  await when('its pods are adopted', (ledger) => {
    const uid = ledger.target()?.metadata.uid;
    return ledger.pods().every((pod) => controllerOf(pod)?.uid === uid);
  });
};

export const changes: readonly Change[] = [
  { title: 'in place, ordered', mode: 'InPlace', states: images({}, {}) },
  {
    title: 'recreated, ordered (AS-32)',
    mode: 'Recreate',
    states: environments({}, { minReadySeconds: 5 }),
  },
  {
    title: 'recreated two at a time',
    mode: 'Recreate',
    states: environments(parallel, { ...two, minReadySeconds: 5 }),
  },
];

const updates: readonly World[] = [
  {
    title: 'in place: all but two, then the last two',
    target: web(1, parallel, two),
    script: [
      commit(web(2, parallel, { ...two, partition: 2 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 2 },
      }),
      phase('Succeeded'),
      commit(web(2, parallel, { ...two, partition: 0 }), {
        mode: 'InPlace',
        from: [web(1)],
        bound: { partition: 0 },
      }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
  {
    title: 'in place: a pod of each side is lost before the approval',
    target: web(1, parallel, two),
    script: [
      commit(web(2, parallel, two), { mode: 'InPlace', from: [web(1)], steps: canary }),
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
    title: 'ordered: a soak fails, and the roll-out goes back past the broken pods',
    hangsOnMoments: true,
    target: web(1),
    prepare: (sandbox) => sandbox.images.set('web:2', { crashAfterMs: 300_000 }),
    script: [
      commit(web(2), {
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
  {
    title: 'reserved ordinals: a pod moves, and the next change goes over both',
    precedesRecords: true,
    target: web(1, parallel, two),
    script: [
      patch({ reserveOrdinals: [1] }),
      gone('web-1'),
      ready(4),
      commit(web(2, { ...parallel, reserveOrdinals: [1] }, two), { mode: 'InPlace', from: [web(1)] }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 4 } },
  },
];

const creation: World = {
  title: 'created with its plan in an empty namespace',
  target: statefulSet('other', 'other:1', { replicas: 1 }),
  makesTarget: true,
  script: [create(web(2), { mode: 'Recreate', from: [web(1)] }), ready(4)],
  end: { phase: 'Succeeded', units: { 'web:2': 4 } },
};

const adoption: World = {
  title: 'orphaned and created anew: pods and revision are adopted, then updated (AS-51)',
  target: web(1, parallel, two),
  makesTarget: true,
  script: [createdAnew, commit(web(2, parallel, two), { mode: 'InPlace', from: [web(1)] })],
  end: { phase: 'Succeeded', units: { 'web:2': 4 } },
};

const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const withData = {
  ...parallel,
  replicas: 2,
  volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: storage }],
};

const claims: readonly World[] = [
  {
    title: 'a pod is lost, and its successors take its claim, old and new',
    target: web(1, withData),
    prepare: makeClass,
    script: [replaced('web:1'), commit(web(1, withData, {}, 'debug'), { mode: 'Recreate', from: [web(1)] })],
    end: { phase: 'Succeeded', units: { 'web:1 debug': 2 } },
  },
];

/** Waits until these claims exist, and no others; `0 2` are those of web-0 and web-2. */
function claimsAre(ordinals: string): ScriptStep {
  const wanted = ordinals.split(' ').map((ordinal) => `data-${NAME}-${ordinal}`);
  return ({ when, sandbox }) =>
    when(`the claims are ${wanted.join(', ')}`, () => claimsIn(sandbox).join() === wanted.join());
}

/** The names of all claims. The ledger shows those only that have changed. */
function claimsIn({ server }: Setup['sandbox']): string[] {
  const { items } = server.list('user', resources.PersistentVolumeClaim, { namespace: NAMESPACE });
  return items.map(({ metadata }) => metadata.name).sort();
}

const retention = (whenScaled: string, whenDeleted: string): JsonObject => ({
  persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted },
});

const deletedClaims: readonly World[] = [
  {
    title: 'scale-in deletes claims (AS-41), and so does a reservation (AS-42)',
    precedesRecords: true,
    sizeChanges: true,
    target: web(1, { ...withData, replicas: 3, ...retention('Delete', 'Delete') }, two),
    prepare: makeClass,
    script: [
      patch({ replicas: 2 }),
      claimsAre('0 1'),
      patch({ reserveOrdinals: [1] }),
      claimsAre('0 2'),
      ready(2),
      commit(web(2, { ...withData, ...retention('Delete', 'Delete'), reserveOrdinals: [1] }, two), {
        mode: 'InPlace',
        from: [web(1)],
      }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 2 } },
  },
  {
    title: 'a policy that deletes claims is taken back before the scale-in, and the claims stay',
    precedesRecords: true,
    sizeChanges: true,
    target: web(1, { ...withData, ...retention('Delete', 'Delete') }, two),
    prepare: makeClass,
    script: [
      patch(retention('Retain', 'Retain')),
      claimsOwned(0),
      patch({ replicas: 1 }),
      gone('web-1'),
      claimsAre('0 1'),
      patch({ replicas: 2 }),
      ready(2),
      commit(web(2, withData, two), { mode: 'InPlace', from: [web(1)] }),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 2 } },
  },
];

const growing = (size: string): JsonObject => ({
  ...withData,
  volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
    },
  ],
});

const grownClaims: readonly World[] = [
  {
    title: 'claims grow, alone and step by step (AS-43), and with a new image (AS-45)',
    target: web(1, growing('1Gi')),
    prepare: makeGrowingClass,
    script: [
      commit(web(1, growing('2Gi')), { mode: 'InPlace', from: [], steps: canary }),
      phase('AwaitingApproval'),
      approve('ok'),
      phase('Succeeded'),
      claimsHave('2Gi'),
      commit(web(2, growing('3Gi')), { mode: 'InPlace', from: [web(1)] }),
      claimsHave('3Gi'),
    ],
    end: { phase: 'Succeeded', units: { 'web:2': 2 } },
  },
];

/** Waits until the volume of each claim has this size. */
function claimsHave(size: string): ScriptStep {
  return ({ when }) =>
    when(`the claims have ${size}`, ({ objects }) =>
      [...objects.values()]
        .filter(({ kind }) => kind === 'PersistentVolumeClaim')
        .every(({ status }) => (status as { capacity?: JsonObject }).capacity?.['storage'] === size),
    );
}

/** Waits until so many claims have an owner. */
function claimsOwned(count: number): ScriptStep {
  return ({ when }) =>
    when(`${count} claims have an owner`, ({ objects }) => {
      const owned = [...objects.values()].filter(
        ({ kind, metadata }) =>
          kind === 'PersistentVolumeClaim' && (metadata.ownerReferences ?? []).length > 0,
      );
      return owned.length === count;
    });
}

const scaling: World = {
  title: 'an autoscaler goes from 5 to 2 to 6 at the approval, and the canary goes with its ordinal',
  sizeChanges: true,
  target: web(1, { ...parallel, replicas: 5 }),
  script: [
    commit(web(2, { ...parallel, replicas: 5 }), { mode: 'InPlace', from: [web(1)], steps: canary }),
    phase('AwaitingApproval'),
    patch({ replicas: 2 }),
    // The canary counts until it is gone.
    ready(2),
    unitsAt('web:2', 1),
    ready(2),
    patch({ replicas: 6 }),
    ready(6),
    approve('ok'),
  ],
  end: { phase: 'Succeeded', units: { 'web:2': 6 } },
};

const pulls: World = {
  title: 'in place, slot by slot: images are pulled to one node at a time first',
  target: web(1),
  script: [
    commit(web(2), {
      mode: 'InPlace',
      from: [web(1)],
      steps: [{ id: 'pull', pull: { images: ['web:2'] } }, all],
    }),
  ],
  end: { phase: 'Succeeded', units: { 'web:2': 4 } },
};

export const worlds: readonly World[] = [
  ...updates,
  pulls,
  creation,
  adoption,
  ...claims,
  ...deletedClaims,
  ...grownClaims,
  scaling,
].map((world) => ({
  ...world,
  everyCall: true,
}));
