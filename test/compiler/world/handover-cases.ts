import { web } from '../../stories/manifests.ts';
import type { Case } from './diagnostic-cases.ts';
import { numbered } from './numbered.ts';
import { onNodes } from './on-nodes.ts';

const ours = numbered();
const native = ours.replace('apps.kruise.io/v1beta1', 'apps/v1');
const both = `${ours}---\n${native}`;

const cloned = web();
const deployed = cloned
  .replace(/apiVersion: .*\nkind: .*/, 'apiVersion: apps/v1\nkind: Deployment')
  .replace(/^  updateStrategy:\n(?: {4}.*\n)+/m, '');

const nativeOnNodes = onNodes({ apiVersion: 'apps/v1' });

/** Diagnostics about a target that comes from Kubernetes, or goes there. */
export const handoverCases: readonly Case[] = [
  { what: 'from apps/v1', base: native, head: ours, expected: ['KR2154 head/web.yaml:1:13'] },
  {
    what: 'from apps/v1 in another file',
    base: 'kind: List\napiVersion: v1\nitems: []\n',
    head: ours,
    files: { 'base/other.yaml': native },
    expected: ['KR2154 head/web.yaml:1:13'],
  },
  {
    what: 'from apps/v1 with another image',
    base: native,
    head: numbered({ image: 'nginx:1.27' }),
    expected: ['KR2154 head/web.yaml:1:13', 'KR2155 head/web.yaml:1:13'],
  },
  {
    what: 'from apps/v1 with the pull policies that Kubernetes has filled in',
    base: native,
    head: ours.replace(/(image: '[^']*')/, '$1, imagePullPolicy: IfNotPresent'),
    expected: ['KR2154 head/web.yaml:1:13'],
  },
  {
    what: 'from apps/v1 with another pull policy',
    base: native,
    head: ours.replace(/(image: '[^']*')/, '$1, imagePullPolicy: Never'),
    expected: ['KR2154 head/web.yaml:1:13', 'KR2155 head/web.yaml:1:13'],
  },
  { what: 'beside one of apps/v1', base: native, head: both, expected: ['KR2154 head/web.yaml:1:13'] },
  {
    what: 'an update beside one of apps/v1 that was there before',
    base: both,
    head: both.replace('nginx:1.25', 'nginx:1.27'),
    expected: [],
  },
  {
    what: 'from a StatefulSet of another name',
    base: native.replace('name: web', 'name: db'),
    head: ours,
    expected: [],
  },
  { what: 'back to apps/v1', base: ours, head: native, expected: ['KR2156 base/web.yaml:1:13'] },
  {
    what: 'pods on nodes from apps/v1',
    base: nativeOnNodes,
    head: onNodes(),
    expected: ['KR2154 head/web.yaml:1:13'],
  },
  {
    what: 'pods on nodes from apps/v1 with another image',
    base: nativeOnNodes,
    head: onNodes({ image: 'log:2' }),
    expected: ['KR2154 head/web.yaml:1:13', 'KR2155 head/web.yaml:1:13'],
  },
  {
    what: 'pods on nodes back to apps/v1',
    base: onNodes(),
    head: nativeOnNodes,
    expected: ['KR2156 base/web.yaml:1:13'],
  },
  {
    what: 'a CloneSet that becomes a Deployment',
    base: cloned,
    head: deployed,
    expected: ['KR2157 base/web.yaml:1:13'],
  },
  {
    what: 'a CloneSet that becomes a Deployment of another name',
    base: cloned,
    head: deployed.replace('name: web', 'name: db'),
    expected: ['KR2120 base/web.yaml:4:9'],
  },
  {
    what: 'a Deployment that becomes a CloneSet',
    base: deployed,
    head: cloned,
    expected: ['KR2157 head/web.yaml:1:13'],
  },
  {
    what: 'a CloneSet beside a Deployment that stays',
    base: deployed,
    head: `${deployed}---\n${cloned}`,
    expected: [],
  },
  {
    what: 'a CloneSet that goes after its Deployment came in an earlier commit',
    base: `${deployed}---\n${cloned}`,
    head: deployed,
    expected: ['KR2120 base/web.yaml:21:9'],
  },
];
