import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';

const validate = { args: ['validate', 'head'] };
const clean = cloneSet();
const other = (text: string): string => text.replace('name: web\n', 'name: other\n');
const reverting = {
  'head/kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], onFailure: Revert}]\n',
};
const untagged = cloneSet({ image: 'nginx' });
const pinned = cloneSet({ image: 'nginx:1.27' });

/** Manifests that are valid, and not what their authors want. */
export const lintCases: readonly Case[] = [
  {
    what: 'two workloads of one selector',
    head: clean,
    files: { 'head/other.yaml': other(clean) },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'a selector that matches the pods of another workload',
    head: clean.replace('labels: {app: web}', 'labels: {app: web, tier: front}'),
    files: {
      'head/other.yaml': other(cloneSet({ selector: 'web, tier: front' })).replace(
        'labels: {app: web}',
        'labels: {app: web, tier: front}',
      ),
    },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'a selector of expressions that matches the pods of another workload',
    head: clean,
    files: {
      'head/other.yaml': other(cloneSet())
        .replaceAll('app: web', 'app: other')
        .replace('matchLabels: {app: other}', 'matchExpressions: [{key: app, operator: Exists}]'),
    },
    options: validate,
    expected: ['KR2137 head/other.yaml:8:3'],
  },
  {
    what: 'the same selector in another namespace',
    head: clean,
    files: { 'head/other.yaml': cloneSet({ namespace: 'stage' }) },
    options: validate,
    expected: [],
  },
  {
    what: 'a change that recreates pods where in place is preferred',
    base: clean,
    head: cloneSet({ container: '        env: [{name: A, value: b}]' }),
    expected: ['KR2138 head/web.yaml:19:15'],
  },
  {
    what: 'a change that recreates pods, as the policy says',
    base: cloneSet({ type: 'ReCreate' }),
    head: cloneSet({ type: 'ReCreate', container: '        env: [{name: A, value: b}]' }),
    expected: [],
  },
  {
    what: 'a revert to an image without a tag',
    base: untagged,
    head: pinned,
    files: reverting,
    expected: ['KR2139 head/web.yaml:18:16'],
  },
  {
    what: 'a change of an image without a tag, without a revert',
    base: untagged,
    head: pinned,
    expected: [],
  },
  { what: 'a revert to an image with a tag', base: clean, head: pinned, files: reverting, expected: [] },
  {
    what: 'a revert to an image without a tag, where any is fine',
    base: untagged,
    head: pinned,
    files: { 'head/kruise.yaml': `images: any\n${reverting['head/kruise.yaml']}` },
    expected: [],
  },
];
