import { stringify } from 'yaml';
import { united, zones } from '../../runtime/united-world.ts';
import type { Case } from './diagnostic-cases.ts';

const validate = { args: ['validate', 'head'] };

/** A UnitedDeployment with the subsets a, b and c, which a rule with these batches is for. */
function batches(text: string): Pick<Case, 'head' | 'files' | 'options'> {
  const files = { 'head/kruise.yaml': `steps:\n- match: {}\n  batches: [${text}]\n` };
  return {
    head: stringify(united({ child: { minReadySeconds: 5 }, subsets: zones('abc') })),
    files,
    options: validate,
  };
}

/** Kinds whose pods are those of subsets. */
export const subsetCases: readonly Case[] = [
  {
    what: 'batches by subset',
    ...batches('{to: 1, subsets: [a]}, {to: 100%, subsets: [a]}, {to: 50%}, {to: 100%}'),
    expected: [],
  },
  {
    what: 'a batch for a subset that does not exist',
    ...batches('{to: 100%, subsets: [a, d]}, {to: 100%}'),
    expected: ['KR4046 head/kruise.yaml:3:33'],
  },
  {
    what: 'a last batch by subset',
    ...batches('{to: 50%}, {to: 100%, subsets: [a]}'),
    expected: ['KR3041 head/kruise.yaml:3:35'],
  },
  {
    what: 'batches of one subset that shrink, with others between',
    ...batches('{to: 50%, subsets: [a, b]}, {to: 10%}, {to: 20%, subsets: [b, a]}, {to: 100%}'),
    expected: ['KR4002 head/kruise.yaml:3:57'],
  },
  {
    what: 'a batch for nodes of a kind with subsets',
    ...batches('{to: 1, nodes: {matchLabels: {a: b}}}, {to: 100%}'),
    expected: ['KR4027 head/kruise.yaml:3:21'],
  },
];
