import { expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { normalizeSidecarSet } from '../../../semantics/sidecarset/normalize.ts';
import { type OwnContainers, unitOf } from '../../../semantics/sidecarset/unit.ts';
import { injectedPod, setOf } from './model.ts';

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
