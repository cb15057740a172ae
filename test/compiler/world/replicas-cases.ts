import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const six = cloneSet({ replicas: 6 });
const none = six.replace('  replicas: 6\n', '');

/** Replicas that a manifest leaves to an autoscaler, and what kruise.yaml assumes of them. */
export const replicasCases: readonly Case[] = [
  { what: 'replicas that are removed', base: six, head: none, expected: ['KR2220 head/web.yaml:6:1'] },
  {
    what: 'replicas that are removed, and are the default',
    base: six.replace('replicas: 6', 'replicas: 1'),
    head: none,
    expected: [],
  },
  { what: 'replicas that come back', base: none, head: six, expected: [] },
  {
    what: 'an assumption about a kind that does not exist',
    base: none,
    head: none,
    files: { 'head/kruise.yaml': 'assume: {replicas: [{match: {kind: ClonSet}, replicas: 6}]}\n' },
    expected: ['KR4007 head/kruise.yaml:1:36'],
  },
  {
    what: 'an assumption without a number',
    base: none,
    head: none,
    files: { 'head/kruise.yaml': 'assume: {replicas: [{match: {kind: CloneSet}}]}\n' },
    expected: ['KR2004 head/kruise.yaml:1:21'],
  },
];
