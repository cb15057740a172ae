import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { toTemplate } from '../runtime/lead.ts';
import { cloneSet, planOf } from '../runtime/stage.ts';
import { approve, commit, from, lose, manifest, phase, podsAt, ready, replaced, web } from './deeds.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import type { CrashStory } from './play.ts';

const rolling = (partition: number) => ({ updateStrategy: { rollingUpdate: { partition } } });

const gated: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '1m' } },
  { id: 'ok', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

const canary: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'ok', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

/** Roll-outs in place: the demo's, and gates, one of which fails. */
export const inPlace: readonly CrashStory[] = [
  {
    title: 'all but two in place, then the last two',
    target: () => cloneSet('web', 'web:1', { replicas: 5 }, { maxUnavailable: 2 }),
    deeds: [
      commit(web(2), { to: toTemplate(web(2), 2), ...from('InPlace', web(1)) }, rolling(2)),
      phase('Succeeded'),
      commit(web(2), { to: toTemplate(web(2), 0), ...from('InPlace', web(1)) }, rolling(0)),
    ],
    end: { phase: 'Succeeded', images: { 'web:2': 5 } },
  },
  {
    title: 'batches with a soak and an approval',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }, { maxUnavailable: 2 }),
    deeds: [
      commit(web(2), { ...from('InPlace', web(1)), steps: gated }),
      phase('AwaitingApproval'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', images: { 'web:2': 4 } },
  },
  {
    title: 'a pod of each side is lost before the approval',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }),
    deeds: [
      commit(web(2), { ...from('InPlace', web(1)), steps: canary }),
      phase('AwaitingApproval'),
      lose('web:2'),
      ready(4),
      lose('web:1'),
      ready(4),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', images: { 'web:2': 4 } },
  },
  {
    title: 'a soak fails, and the roll-out goes back',
    hangsOnMoments: true,
    target: () => cloneSet('web', 'web:1', { replicas: 4 }, { maxUnavailable: 2 }),
    prepare: (world) => world.images.set('web:2', { crashAfterMs: 90_000 }),
    deeds: [
      commit(web(2), {
        ...from('InPlace', web(1)),
        steps: [
          { id: 'two', update: { to: 2 }, onFailure: 'Revert' },
          { id: 'soak', soak: { for: '10m' } },
          { id: 'all', update: { to: '100%' } },
        ],
      }),
      phase('Soaking'),
    ],
    end: { phase: 'Reverted', images: { 'web:1': 4 } },
  },
];

/** The way changes while it is gone: a hotfix on top, and a revert. */
export const turns: readonly CrashStory[] = [
  {
    title: 'a hotfix takes over at the approval',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }),
    deeds: [
      commit(web(2), { ...from('InPlace', web(1)), steps: canary }),
      phase('AwaitingApproval'),
      commit(web(3), { ...from('InPlace', web(2), web(1)) }),
    ],
    end: { phase: 'Succeeded', images: { 'web:3': 4 } },
  },
  {
    title: 'a hotfix takes over in the middle of a batch',
    hangsOnMoments: true,
    target: () => cloneSet('web', 'web:1', { replicas: 4 }),
    deeds: [
      commit(web(2), { ...from('InPlace', web(1)) }),
      podsAt('web:2', 2),
      commit(web(3), { ...from('InPlace', web(2), web(1)) }),
    ],
    end: { phase: 'Succeeded', images: { 'web:3': 4 } },
  },
  {
    title: 'git revert at the approval',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }, { maxUnavailable: 2 }),
    deeds: [
      commit(web(2), {
        ...from('InPlace', web(1)),
        steps: [{ id: 'half', update: { to: 2 } }, ...canary.slice(1)],
      }),
      phase('AwaitingApproval'),
      manifest({ template: web(1) }),
    ],
    end: { phase: 'Reverted', images: { 'web:1': 4 } },
  },
  {
    title: 'git revert in the middle of a batch',
    hangsOnMoments: true,
    target: () => cloneSet('web', 'web:1', { replicas: 4 }),
    deeds: [
      commit(web(2), { ...from('InPlace', web(1)) }),
      podsAt('web:2', 2),
      manifest({ template: web(1) }),
    ],
    end: { phase: 'Reverted', images: { 'web:1': 4 } },
  },
];

/** Pods come and go: a change that recreates, and the first creation. */
export const recreation: readonly CrashStory[] = [
  {
    title: 'an environment variable recreates',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }, { maxUnavailable: 2 }),
    deeds: [commit(web(1, 'debug'), { ...from('Recreate', web(1)) })],
    end: { phase: 'Succeeded', images: { 'web:1': 4 } },
  },
  {
    title: 'an environment variable recreates, with surge',
    target: () => cloneSet('web', 'web:1', { replicas: 4 }, { maxUnavailable: 1, maxSurge: 1 }),
    deeds: [
      commit(web(1, 'debug'), { ...from('Recreate', web(1)), steps: canary }),
      phase('AwaitingApproval'),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', images: { 'web:1': 4 } },
  },
  {
    title: 'an empty namespace gets the target and its plan',
    target: () => cloneSet('other', 'other:1', { replicas: 1 }),
    deeds: [
      async ({ stage }) => {
        await stage.user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2'));
        await stage.user.create(resources.CloneSet, cloneSet('web', 'web:2', { replicas: 4 }));
      },
      ready(4),
    ],
    end: { phase: 'Succeeded', images: { 'web:2': 4 } },
  },
];

const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const withData = { replicas: 1, volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: storage }] };

/** Pods with claims come and go. */
export const claims: readonly CrashStory[] = [
  {
    title: 'a pod with a claim is recreated',
    target: () => cloneSet('web', 'web:1', withData, { maxUnavailable: 1 }),
    prepare: (world) => makeClass(world),
    deeds: [commit(web(1, 'debug'), { ...from('Recreate', web(1)) })],
    end: { phase: 'Succeeded', images: { 'web:1': 1 } },
  },
  {
    title: 'a pod is lost, and its claim is not for its successor',
    target: () => cloneSet('web', 'web:1', { ...withData, scaleStrategy: { enablePVCReuse: false } }),
    prepare: (world) => makeClass(world),
    deeds: [replaced('web:1'), commit(web(2), { ...from('InPlace', web(1)) })],
    end: { phase: 'Succeeded', images: { 'web:2': 1 } },
  },
];

/** Others decide how many pods there are. */
export const scaling: readonly CrashStory[] = [
  {
    title: 'an autoscaler goes from 5 to 2 to 6 in the middle of a batch',
    sizeChanges: true,
    target: () => cloneSet('web', 'web:1', { replicas: 5 }),
    deeds: [
      commit(web(2), {
        ...from('InPlace', web(1)),
        steps: [{ id: 'most', update: { to: '60%' } }, ...canary.slice(1)],
      }),
      podsAt('web:2', 1),
      manifest({ replicas: 2 }),
      ready(2),
      manifest({ replicas: 6 }),
      phase('AwaitingApproval'),
      ready(6),
      approve('ok'),
    ],
    end: { phase: 'Succeeded', images: { 'web:2': 6 } },
  },
];
