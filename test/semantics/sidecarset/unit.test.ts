import { expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { sidecarSetKind } from '../../../semantics/sidecarset/kind.ts';
import { normalizeSidecarSet } from '../../../semantics/sidecarset/normalize.ts';
import { type OwnContainers, unitOf } from '../../../semantics/sidecarset/unit.ts';
import { injectedPod, NOW, setOf, sidecar } from './model.ts';

const ownOf = (name: string): OwnContainers => {
  const { containers } = normalizeSidecarSet(setOf(name));
  return { set: name, containers };
};

test('a pod of two sets is read once for each of them', () => {
  const pod = injectedPod([setOf('log'), setOf('mesh')]) as Pod;
  const [log, mesh] = [ownOf('log'), ownOf('mesh')];
  const units = [log, mesh, log, mesh].map((own) => unitOf(pod, own));
  expect(units.map((unit) => unit?.names)).toEqual([['log'], ['mesh'], ['log'], ['mesh']]);
  expect(units[2]).toBe(units[0]);
  expect(units[3]).toBe(units[1]);
});

test('a changed set reads the pod anew', () => {
  const pod = injectedPod([setOf('log')]) as Pod;
  const before = unitOf(pod, ownOf('log'));
  const containers = [...ownOf('log').containers, ...ownOf('mesh').containers];
  expect(before).toBeDefined();
  expect(unitOf(pod, { set: 'log', containers })).toBeUndefined();
});

test('the row of a pod is kept until the set changes, and not beyond', () => {
  const target = setOf('log', {}, { uid: 'uid-of-log', generation: 1 });
  const pod = injectedPod([target]) as Pod;
  const rowIn = (object: KubeObject) => {
    const objects = { target: object, pods: [pod], revisions: [], takenNames: new Set<string>(), now: NOW };
    return sidecarSetKind.observe(objects).rollout.pods[0];
  };
  const before = rowIn(target);
  expect(before?.hash).toBeDefined();
  expect(rowIn(target)).toBe(before);
  const { spec = {} } = setOf('log', { containers: [sidecar('log', { image: 'log:2' })] });
  expect(rowIn({ ...target, spec })?.hash).toBeUndefined();
});
