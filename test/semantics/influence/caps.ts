import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import type { Influence } from '../../../semantics/influence/influence.ts';
import { type InfluenceInput, underInfluence } from '../../../semantics/influence/under-influence.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

export const NOW = Date.UTC(2026, 0, 1);

export const resource: Resource = {
  group: 'x.example',
  version: 'v1',
  plural: 'caps',
  kind: 'Cap',
  namespaced: true,
};

/**
 * A cap covers pods whose names begin with one of `of`; `left` of them may become unavailable, by one of these writes, and `made`
 * are counted. The function `fails` ends in an error.
 */
export interface CapSpec {
  of: string;
  left: number;
  by: readonly string[];
  made: number;
  fails: string;
}

const specOf = ({ spec }: KubeObject): CapSpec => spec as CapSpec;
const covers = (object: KubeObject, { metadata }: KubeObject): boolean =>
  [...specOf(object).of].some((letter) => metadata.name.startsWith(letter));

const failing = (object: KubeObject, name: string): void => {
  if (specOf(object).fails === name) throw new TypeError(`no ${name}`);
};

export const caps: Influence = {
  protects: true,
  covers(object, pod) {
    failing(object, 'covers');
    return covers(object, pod);
  },
  labels: () => [],
  onDisrupt(object) {
    failing(object, 'onDisrupt');
    return {
      limit: { name: `Cap ${object.metadata.name}`, most: 1, unavailable: [], left: specOf(object).left },
      takesSlot(_pod, how) {
        failing(object, 'takesSlot');
        return specOf(object).by.includes(how);
      },
    };
  },
  onCreate(object, owner, pods) {
    failing(object, 'onCreate');
    return pods.map((pod, index) => {
      const isRecorded = covers(object, pod) && index < specOf(object).made;
      const annotations = { ...pod.metadata.annotations, [object.metadata.name]: owner.metadata.name };
      return { pod: isRecorded ? { ...pod, metadata: { ...pod.metadata, annotations } } : pod, isRecorded };
    });
  },
  record(object, { disrupted, created }) {
    failing(object, 'record');
    return {
      status: {
        disrupted: disrupted.map(({ pod: { metadata } }) => metadata.name),
        created: created.map(({ metadata }) => metadata.name),
      },
    };
  },
  raise: () => undefined,
  claim: () => undefined,
  deletionCost(object) {
    failing(object, 'deletionCost');
    return () => {
      failing(object, 'cost');
      return 1;
    };
  },
  git: { covers: () => () => false, limit: () => undefined, limitsEvictions: () => false },
};

export const cap = (name: string, spec: Partial<CapSpec>, namespace = 'shop'): KubeObject => ({
  apiVersion: 'x.example/v1',
  kind: 'Cap',
  metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: '7' },
  spec: { of: '', left: 0, by: ['Delete', 'Update', 'Resize'], made: 0, fails: '', ...spec },
});

const restarts = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
export const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1' },
  spec: { containers: [{ name: 'main', image: 'x:1', ...(name === 'a2' && { resizePolicy: restarts }) }] },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

export const target: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Any',
  metadata: { name: 'web', namespace: 'shop' },
};
export const base = { kind: 'Pod', verb: '', reason: '' } as const;

export const remove = (name: string): Action => ({
  ...base,
  do: 'delete',
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
});
export const patch = (name: string, body: object, more: object = {}): Action => ({
  ...base,
  do: 'patch',
  name,
  body: { metadata: { uid: `uid-${name}` }, ...body },
  ...more,
});
export const create = (name: string): Action => ({
  ...base,
  do: 'create',
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name } },
});
export const image = (name: string): Action =>
  patch(name, { spec: { containers: [{ name: 'main', image: 'x:2' }] } });
export const label = (name: string): Action =>
  patch(name, { metadata: { uid: `uid-${name}`, labels: { a: 'b' } } });

export const resize = (name: string, next?: Action, resources: object = { requests: { cpu: '2' } }): Action =>
  patch(
    name,
    { spec: { containers: [{ name: 'main', resources }] } },
    { subresource: 'resize', ...(next && { next }) },
  );

export const PODS = ['a1', 'a2', 'b1', 'b2', 'c1'];

/** The result of a decision of these actions, in words: `delete a1 by x` requires the reservation of cap x. */
export function decided(
  objects: readonly KubeObject[],
  actions: readonly Action[],
  held?: { reason: string; message: string },
  input: Partial<InfluenceInput> = {},
) {
  const shown: unknown[] = [];
  const decide = (reason: unknown): Decision<object> => {
    shown.push(reason);
    return { actions: [...actions], status: { reason }, explanations: [] };
  };
  const found = underInfluence(
    {
      influences: () => objects.map((object) => activeInfluence({ rules: caps, resource }, object, NOW)),
      target,
      pods: PODS.map(pod),
      nodes: undefined,
      now: NOW,
      ...input,
    },
    held,
    decide,
  );
  const words = found.decision.actions.map((action) => {
    const name = action.do === 'create' ? action.object.metadata.name : action.name;
    if (action.do === 'reserve') {
      const { disrupted, created } = action.body['status'] as { disrupted: string[]; created: string[] };
      return ['reserve', name, 'for', ...disrupted, ...created].join(' ');
    }
    const by = (action.requires ?? []).map((each) => each.name);
    return [action.do, name, ...(by.length > 0 ? ['by', ...by] : [])].join(' ');
  });
  return { words, found, shown };
}
