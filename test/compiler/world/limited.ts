import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import type { Files } from './history.ts';

/** What a manifest says of how many units change at a time, and what the steps of its plan state then. */
export interface Limited {
  title: string;
  /** The ID of the kind: `apps.kruise.io/CloneSet`. */
  kind: string;
  /** Fields of its spec besides those of `specs`. */
  spec?: object;
  stated: object;
  /** The same with other limits: nothing else of the manifest changes. */
  other: object;
  otherStated: object;
}

const pods = (image: string): object => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image }] },
});
const ran = (image: string): object => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image, command: ['true'] }] },
});
/** The limits of a UnitedDeployment are those of the template of its children. */
const united = (image: string, limits: object): object => ({
  ...selected,
  template: {
    cloneSetTemplate: {
      metadata: { labels: { app: 'web' } },
      spec: { selector: { matchLabels: { app: 'web' } }, template: pods(image), updateStrategy: limits },
    },
  },
  topology: { subsets: [{ name: 'a' }, { name: 'b' }] },
});
const selected = { replicas: 10, selector: { matchLabels: { app: 'web' } } };

/** The spec of each kind with an image, and nothing that limits it. */
const SPECS: Readonly<Record<string, (image: string) => object>> = {
  CloneSet: (image) => ({ ...selected, template: pods(image) }),
  StatefulSet: (image) => ({ ...selected, serviceName: 'web', template: pods(image) }),
  DaemonSet: (image) => ({ selector: selected.selector, template: pods(image) }),
  UnitedDeployment: (image) => united(image, {}),
  SidecarSet: (image) => ({
    selector: selected.selector,
    containers: [{ name: 'log', image, podInjectPolicy: 'AfterAppContainer' }],
  }),
  BroadcastJob: (image) => ({ template: ran(image) }),
  ImagePullJob: (image) => ({ image, completionPolicy: {} }),
  AdvancedCronJob: (image) => ({
    schedule: '0 4 * * *',
    template: { broadcastJobTemplate: { spec: { template: ran(image) } } },
  }),
};

const GROUP = 'apps.kruise.io';
const rolling = (limits: object): object => ({ updateStrategy: { rollingUpdate: limits } });
const parallel = (limits: object): object => ({ podManagementPolicy: 'Parallel', ...rolling(limits) });

/** Every kind that is registered, with its defaults and with written limits. */
export const LIMITED: readonly Limited[] = [
  {
    title: 'CloneSet, its defaults',
    kind: `${GROUP}/CloneSet`,
    stated: { window: { maxUnavailable: '20%', maxSurge: 0 } },
    other: rolling({ maxUnavailable: '100%' }),
    otherStated: { window: { maxUnavailable: '100%', maxSurge: 0 } },
  },
  {
    title: 'CloneSet, as written',
    kind: `${GROUP}/CloneSet`,
    spec: rolling({ maxUnavailable: 1, maxSurge: '10%' }),
    stated: { window: { maxUnavailable: 1, maxSurge: '10%' } },
    other: rolling({ maxUnavailable: 1, maxSurge: '50%' }),
    otherStated: { window: { maxUnavailable: 1, maxSurge: '50%' } },
  },
  {
    title: 'StatefulSet, Parallel',
    kind: `${GROUP}/StatefulSet`,
    spec: parallel({ maxUnavailable: '30%' }),
    stated: { window: { maxUnavailable: '30%' } },
    other: parallel({ maxUnavailable: 5 }),
    otherStated: { window: { maxUnavailable: 5 } },
  },
  {
    title: 'StatefulSet, OrderedReady',
    kind: `${GROUP}/StatefulSet`,
    stated: { window: { maxUnavailable: 1 } },
    other: rolling({ minReadySeconds: 5 }),
    otherStated: { window: { maxUnavailable: 1 } },
  },
  {
    title: 'DaemonSet, its defaults',
    kind: `${GROUP}/DaemonSet`,
    stated: { window: { maxUnavailable: 1, maxSurge: 0 } },
    other: rolling({ maxUnavailable: '50%' }),
    otherStated: { window: { maxUnavailable: '50%', maxSurge: 0 } },
  },
  {
    title: 'DaemonSet, with surge',
    kind: `${GROUP}/DaemonSet`,
    spec: rolling({ maxUnavailable: 0, maxSurge: '30%' }),
    stated: { window: { maxUnavailable: 0, maxSurge: '30%' } },
    other: rolling({ maxUnavailable: 0, maxSurge: 5 }),
    otherStated: { window: { maxUnavailable: 0, maxSurge: 5 } },
  },
  {
    title: 'UnitedDeployment, its defaults',
    kind: `${GROUP}/UnitedDeployment`,
    stated: { window: { maxUnavailable: '20%', maxSurge: 0 } },
    other: { topology: { subsets: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] } },
    otherStated: { window: { maxUnavailable: '20%', maxSurge: 0 } },
  },
  {
    title: 'SidecarSet',
    kind: `${GROUP}/SidecarSet`,
    spec: { updateStrategy: { maxUnavailable: '50%' } },
    stated: { window: { maxUnavailable: '50%' } },
    other: { updateStrategy: { maxUnavailable: '100%' } },
    otherStated: { window: { maxUnavailable: '100%' } },
  },
  {
    title: 'BroadcastJob, its default',
    kind: `${GROUP}/BroadcastJob`,
    stated: { parallelism: 2147483647 },
    other: { parallelism: 3 },
    otherStated: { parallelism: 3 },
  },
  {
    title: 'BroadcastJob, as written',
    kind: `${GROUP}/BroadcastJob`,
    spec: { parallelism: '10%' },
    stated: { parallelism: '10%' },
    other: { parallelism: '50%' },
    otherStated: { parallelism: '50%' },
  },
  {
    title: 'ImagePullJob, its default',
    kind: `${GROUP}/ImagePullJob`,
    stated: { parallelism: 1 },
    other: { parallelism: 3 },
    otherStated: { parallelism: 3 },
  },
  // What its runs are limited by is in the template that they are made from, and in its hash.
  {
    title: 'AdvancedCronJob',
    kind: `${GROUP}/AdvancedCronJob`,
    stated: {},
    other: { concurrencyPolicy: 'Forbid' },
    otherStated: {},
  },
];

/** The manifest `web`. JSON is YAML, too. */
export function limited({ kind }: Pick<Limited, 'kind'>, image: string, spec: object = {}): Files {
  const name = kind.split('/')[1] ?? '';
  const isClusterWide = name === 'SidecarSet';
  const object = {
    apiVersion: `${GROUP}/v1beta1`,
    kind: name,
    metadata: {
      name: 'web',
      ...(isClusterWide ? {} : { namespace: 'shop' }),
      // The others have plans whatever their annotations say.
      ...(name === 'ImagePullJob' && { annotations: { 'plan.kruise.io/policy': 'Required' } }),
    },
    spec: { ...SPECS[name]?.(image), ...spec },
  };
  return { 'web.yaml': JSON.stringify(object) };
}

/** The only plan among files. */
export function onlyPlan(files: Files): { path: string; plan: RolloutPlan } {
  const [path = ''] = Object.keys(files).filter((each) => each.endsWith('/plan.yaml'));
  return { path, plan: parse(files[path] ?? '') as RolloutPlan };
}

/** What the update and run steps of a plan state besides how far they go. */
export function limitsIn({ spec }: RolloutPlan): object[] {
  return spec.steps.flatMap(({ update, run }): object[] => {
    const work = update ?? run;
    if (work === undefined) return [];
    const { to: _to, atLeast: _atLeast, ...limits } = work;
    return [limits];
  });
}
