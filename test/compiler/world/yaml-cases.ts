import type { Case } from './diagnostic-cases.ts';
import { cloneSet } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const validate: RunOptions = { args: ['validate', 'head'] };

/** Files that cannot be read, and ambiguous YAML. */
export const yamlCases: readonly Case[] = [
  {
    what: 'unreadable file',
    head: clean,
    options: { ...validate, locked: ['head/web.yaml'] },
    expected: ['KR1001'],
  },
  {
    what: 'unreadable folder',
    head: clean,
    options: { ...validate, locked: ['/repo/head'] },
    expected: ['KR1001'],
  },
  {
    what: 'folders that are rendered',
    head: clean,
    files: {
      'head/chart/Chart.yaml': 'name: web\n',
      'head/chart/templates/web.yaml': '{{ broken',
      'head/prod/Kustomization': 'resources: [web.yaml]\n',
      'head/prod/web.yaml': clean,
    },
    options: validate,
    expected: ['KR1028', 'KR1028'],
  },
  {
    what: 'a base that must be rendered',
    head: clean,
    files: { 'base/kustomization.yml': 'resources: [web.yaml]\n' },
    expected: ['KR1028'],
  },
  {
    what: 'head and base that must be rendered',
    files: { 'head/kustomization.yaml': '', 'head/web.yaml': clean, 'base/kustomization.yaml': '' },
    expected: ['KR1028'],
  },
  {
    what: 'Latin-1',
    head: new Uint8Array([...new TextEncoder().encode(clean), 0xe9]),
    options: validate,
    expected: ['KR1002 head/web.yaml:1:1'],
  },
  {
    what: 'pointer of Git LFS',
    head: 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n',
    options: validate,
    expected: ['KR1029 head/web.yaml:1:1'],
  },
  {
    what: 'file of git-crypt',
    head: new Uint8Array([0, ...new TextEncoder().encode('GITCRYPT'), 0, 0xe9, 1, 2]),
    options: validate,
    expected: ['KR1029 head/web.yaml:1:1'],
  },
  {
    what: 'huge file',
    head: new Uint8Array(16 * 1024 * 1024 + 1),
    options: validate,
    expected: ['KR1003 head/web.yaml:1:1'],
  },
  {
    what: 'aliases that repeat a long text',
    head: `${clean}---\napiVersion: apps.kruise.io/v1alpha1\na: &a ${'x'.repeat(1024 * 1024)}\nb: [${'*a, '.repeat(17)}]\n`,
    options: validate,
    expected: ['KR1035 head/web.yaml:23:1'],
  },
  {
    what: 'a value that no API server takes',
    head: cloneSet({ container: `        args: [${'x'.repeat(2 * 1024 * 1024 + 1)}]` }),
    options: validate,
    expected: ['KR1036 head/web.yaml:19:16'],
  },
  {
    what: 'keys on the way to a value that would fill every message',
    head: cloneSet({ container: `        args: {? ${'x'.repeat(2_048)} : 1}` }),
    options: validate,
    expected: ['KR1036 head/web.yaml:19:18'],
  },
  {
    what: 'more problems than anybody reads',
    head: cloneSet({ spec: Array.from({ length: 103 }, (_, i) => `  field${i}: 1`).join('\n') }),
    options: validate,
    expected: [
      ...Array.from({ length: 100 }, (_, i) => `KR2001 head/web.yaml:${12 + i}:3`),
      'KR1038 head/web.yaml:112:3',
    ],
  },
  {
    what: 'more warnings than anybody reads',
    head: cloneSet({ pod: Array.from({ length: 103 }, (_, i) => `      field${i}: 1`).join('\n') }),
    options: validate,
    expected: [
      ...Array.from({ length: 100 }, (_, i) => `KR2006 head/web.yaml:${19 + i}:7`),
      'KR1037 head/web.yaml:119:7',
    ],
  },
  {
    what: 'broken YAML',
    head: clean.replace('spec:\n  replicas', 'spec: {\n  replicas'),
    options: validate,
    expected: ['KR1004 head/web.yaml:7:13'],
  },
  {
    what: 'duplicate key',
    head: clean.replace('  replicas: 10', '  replicas: 10\n  replicas: 3'),
    options: validate,
    expected: ['KR1005 head/web.yaml:8:3'],
  },
  {
    what: 'YAML 1.1 boolean',
    head: cloneSet({ spec: '    paused: yes' }),
    options: validate,
    expected: ['KR1006 head/web.yaml:12:13'],
  },
  {
    what: 'octal',
    head: cloneSet({
      pod: '      volumes:\n      - name: c\n        configMap: {name: c, defaultMode: 0644}',
    }),
    options: validate,
    expected: ['KR1007 head/web.yaml:21:43'],
  },
  {
    what: 'merge key',
    head: cloneSet({ pod: '      <<: {hostNetwork: true}' }),
    options: validate,
    expected: ['KR1008 head/web.yaml:19:7'],
  },
  {
    what: 'key that is a number',
    head: cloneSet({ pod: '      nodeSelector: {8: "x"}' }),
    options: validate,
    expected: ['KR1009 head/web.yaml:19:22'],
  },
  {
    what: '__proto__',
    head: cloneSet({ pod: '      nodeSelector: {__proto__: "x"}' }),
    options: validate,
    expected: ['KR1010 head/web.yaml:19:22'],
  },
  {
    what: 'deep flow nesting',
    head: `${clean}---\napps.kruise.io: ${'['.repeat(2000)}`,
    options: validate,
    expected: ['KR1011 head/web.yaml:20:515'],
  },
  {
    what: 'deep block nesting',
    head: cloneSet({
      pod: Array.from({ length: 120 }, (_, i) => `${' '.repeat(6 + i)}a:`).join('\n'),
    }),
    options: validate,
    expected: ['KR1011 head/web.yaml:117:105'],
  },
  {
    what: 'alias bomb',
    head: cloneSet({
      pod: `      tolerations: &a [1,2,3,4,5,6,7,8,9]\n${[...'bcdefgh']
        .map((letter, i) => `      x${letter}: &${letter} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`)
        .join('\n')}`,
    }),
    options: validate,
    expected: ['KR1012 head/web.yaml:1:1'],
  },
  {
    what: 'alias of itself',
    head: cloneSet({ pod: '      tolerations: &a [*a]' }),
    options: validate,
    expected: ['KR1012 head/web.yaml:19:24'],
  },
  {
    what: 'unknown alias before the names of a list',
    head: `x: *nope\napiVersion: v1\nkind: List\nitems:\n- ${cloneSet().trimEnd().replaceAll('\n', '\n  ')}\n`,
    options: validate,
    expected: ['KR1012 head/web.yaml:1:4'],
  },
  {
    what: 'unknown alias in a list whose kind comes last',
    head: `apiVersion: v1\nitems:\n- x: *nope\n- ${cloneSet().trimEnd().replaceAll('\n', '\n  ')}\nkind: List\n`,
    options: validate,
    expected: ['KR1012 head/web.yaml:3:6'],
  },
  {
    what: 'unknown alias in another object of a list',
    head: `apiVersion: v1\nkind: List\nitems:\n- x: *nope\n- ${cloneSet().trimEnd().replaceAll('\n', '\n  ')}\n`,
    options: validate,
    expected: ['KR1012 head/web.yaml:4:6'],
  },
  {
    what: 'unknown alias before the kind',
    head: cloneSet().replace('kind: CloneSet\n', 'x: *nope\nkind: CloneSet\n'),
    options: validate,
    expected: ['KR1012 head/web.yaml:2:4'],
  },
  {
    what: 'unknown alias before the apiVersion',
    head: `kind: CloneSet\nx: *nope\n${cloneSet().replace('kind: CloneSet\n', '')}`,
    options: validate,
    expected: ['KR1012 head/web.yaml:2:4'],
  },
  {
    what: 'unknown alias in an object of another kind',
    head: `x: *nope\napiVersion: v1\nkind: ConfigMap\n---\n${cloneSet()}`,
    options: validate,
    expected: [],
  },
  {
    what: 'custom tag',
    head: cloneSet({ pod: '      hostname: !vault secret' }),
    options: validate,
    expected: ['KR1013 head/web.yaml:19:24'],
  },
  {
    what: 'infinity and a number too large',
    head: cloneSet({ pod: '      priority: .inf\n      terminationGracePeriodSeconds: 9007199254740993' }),
    options: validate,
    expected: ['KR1014 head/web.yaml:19:17', 'KR1014 head/web.yaml:20:38'],
  },
  {
    what: 'links out and in a circle',
    head: clean,
    options: { ...validate, links: { 'head/up': 'head', 'head/out': 'base' } },
    expected: ['KR1015', 'KR1015'],
  },
  {
    what: 'same object twice',
    files: { 'head/a.yaml': clean, 'head/b.yaml': clean.replace('v1alpha1', 'v1beta1') },
    options: validate,
    expected: ['KR1016 head/b.yaml:4:9'],
  },
  {
    what: 'path that is not there',
    head: clean,
    options: { args: ['validate', 'hed'] },
    expected: ['KR1017'],
  },
  {
    what: 'no name',
    head: clean.replace('  name: web\n', ''),
    options: validate,
    expected: ['KR1018 head/web.yaml:3:1'],
  },
  {
    what: 'version that does not exist',
    head: cloneSet({ apiVersion: 'apps.kruise.io/v2' }),
    options: validate,
    expected: ['KR1019 head/web.yaml:1:13'],
  },
  {
    what: '%YAML directive',
    head: `%YAML 1.1\n---\n${clean}`,
    options: validate,
    expected: ['KR1020 head/web.yaml:1:1'],
  },
  {
    what: 'name that would leave the folder',
    head: clean.replace('name: web', 'name: ../../evil'),
    options: validate,
    expected: ['KR1021 head/web.yaml:4:9'],
  },
  {
    what: 'namespace that would leave the folder',
    head: cloneSet({ namespace: '"../.."' }),
    options: validate,
    expected: ['KR1021 head/web.yaml:5:14'],
  },
];
