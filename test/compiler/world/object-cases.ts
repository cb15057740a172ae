import type { Case } from './diagnostic-cases.ts';
import { cloneSet, kruise } from './manifests.ts';
import type { RunOptions } from './manifests.ts';

const clean = cloneSet();
const changed = cloneSet({ image: 'nginx:1.27' });
const validate: RunOptions = { args: ['validate', 'head'] };
const planPath = 'plans/shop/cloneset-web/plan.yaml';
const policy = (value: string): string =>
  clean.replace(
    '  namespace: shop\n',
    `  namespace: shop\n  annotations: {plan.kruise.io/policy: ${value}}\n`,
  );

const { host } = await kruise({ 'base/web.yaml': clean, 'head/web.yaml': changed });
const plan = String(host.files.get(`/repo/head/${planPath}`));
const edited = plan.replace('"100%"', '"50%"');

const headless = clean.replace(/^apiVersion.*\nkind.*\n/, '');

/** Objects with a misspelled group or kind, files that are read or ignored, and diagnostics about whole objects. */
export const objectCases: readonly Case[] = [
  { what: 'not YAML', head: 'a: [\n', options: validate, expected: ['KR1026 head/web.yaml:1:4'] },
  {
    what: 'a manifest that has lost its first lines',
    head: clean
      .replace(/^apiVersion.*\nkind.*\n/, '')
      .replace('metadata:', 'metadata: [')
      .replaceAll('kruise', ''),
    options: validate,
    expected: ['KR1026 head/web.yaml:2:9'],
  },
  {
    what: 'one that has lost them and is YAML still, and one that names OpenKruise all the same',
    files: {
      'head/web.yaml': headless,
      'head/api.yaml': headless.replace('nginx:1.25', 'openkruise/api:1'),
      'head/values.yaml': 'metadata: {a: b}\nspec: {replicas: 1}\n',
    },
    options: validate,
    expected: ['KR1027 head/api.yaml:1:1', 'KR1027 head/web.yaml:1:1'],
  },
  {
    what: 'documents of another group: one that is broken, and one that has lost its first lines',
    head: `kind: A\napiVersion: v1\na: "\n---\n${headless}---\nb: [\n`,
    options: validate,
    expected: ['KR1026 head/web.yaml:3:4', 'KR1027 head/web.yaml:5:1', 'KR1026 head/web.yaml:22:4'],
  },
  {
    what: 'too deep to be read',
    head: `a: ${'['.repeat(5000)}`,
    options: validate,
    expected: ['KR1026 head/web.yaml:1:502'],
  },
  {
    what: 'JSON with comments, as tools have it',
    files: { 'head/web.yaml': clean, 'head/tsconfig.json': '// strict\n{"a": 1}\n' },
    options: validate,
    expected: ['KR1022 head/tsconfig.json:1:1'],
  },
  {
    what: 'a template',
    head: 'kind: {{ .Values.x }}\n: [',
    options: validate,
    expected: ['KR1022 head/web.yaml:2:4'],
  },
  {
    what: 'a template with a planned kind',
    head: cloneSet({ image: '{{ .Values.image }}' }),
    options: validate,
    expected: ['KR1004 head/web.yaml:18:16'],
  },
  {
    what: 'not YAML at base is no concern',
    base: 'a: [\n',
    head: clean,
    expected: [],
  },
  {
    what: 'no apiVersion',
    head: clean.replace('apiVersion: apps.kruise.io/v1alpha1\n', ''),
    options: validate,
    expected: ['KR1023 head/web.yaml:1:1'],
  },
  {
    what: 'apiVersoin',
    head: clean.replace('apiVersion', 'apiVersoin'),
    options: validate,
    expected: ['KR1023 head/web.yaml:1:1'],
  },
  {
    what: 'group misspelled',
    head: clean.replace('apps.kruise.io', 'app.kruise.io'),
    options: validate,
    expected: ['KR1023 head/web.yaml:1:13'],
  },
  {
    what: 'CloneSet of apps',
    head: clean.replace('apps.kruise.io/v1alpha1', 'apps/v1'),
    options: validate,
    expected: ['KR1023 head/web.yaml:1:13'],
  },
  {
    what: 'StatefulSet of apps is not planned',
    head: 'apiVersion: apps/v1\nkind: StatefulSet\n# kruise\n',
    options: validate,
    expected: [],
  },
  ...Object.entries({
    'without a name': [clean.replace('  name: web\n', ''), 'KR1018 3:1', 'KR2001 6:3'],
    'without metadata': [
      clean.replace(/metadata:\n {2}name.*\n {2}namesp.*\n/, ''),
      'KR1018 1:1',
      'KR2001 4:3',
    ],
    'with a number as name': [clean.replace('name: web', 'name: 5'), 'KR1018 4:9', 'KR2001 7:3'],
    'of a version that there is not': [clean.replace('v1alpha1', 'v1'), 'KR1019 1:13', 'KR2001 7:3'],
    'of a misspelled group': [clean.replace('apps.', 'app.'), 'KR1023 1:13', 'KR2001 7:3'],
    'of two versions': [
      clean.replace('v1alpha1', 'v1alpha1 | apps.kruise.io/v1beta1'),
      'KR1019 1:13',
      'KR2001 7:3',
    ],
    'of the group of policies': [clean.replace('apps.', 'policy.'), 'KR1023 1:13', 'KR2001 7:3'],
    'of either version': [clean.replace('apps.kruise.io/v1alpha1', 'a | b'), 'KR1023 1:13', 'KR2001 7:3'],
    'of a list of versions': [
      clean.replace('apps.kruise.io/v1alpha1', '[apps.kruise.io/v1alpha1]'),
      'KR1023 1:13',
      'KR2001 7:3',
    ],
    'without apiVersion': [clean.replace(/apiVersion.*\n/, ''), 'KR1023 1:1', 'KR2001 6:3'],
    'of a misspelled kind': [clean.replace('CloneSet', 'CloneSets'), 'KR1024 2:7', 'KR2001 7:3'],
  }).map(([what, [head = '', ...expected]]) => ({
    what: `an object ${what}, and a misspelled field`,
    head: head.replace('  replicas:', '  replica:'),
    options: validate,
    expected: expected.map((each) => each.replace(' ', ' head/web.yaml:')),
  })),
  {
    what: 'a kind of this name in another group',
    head: clean.replace('apps.kruise.io/v1alpha1', 'example.com/v1'),
    options: validate,
    expected: [],
  },
  {
    what: 'kind in another case',
    head: clean.replace('CloneSet', 'Cloneset'),
    options: validate,
    expected: ['KR1024 head/web.yaml:2:7'],
  },
  {
    what: 'no kind',
    head: clean.replace('kind: CloneSet\n', ''),
    options: validate,
    expected: ['KR1024 head/web.yaml:1:1'],
  },
  {
    what: 'manifest among plans',
    head: clean,
    files: { 'head/plans/other.yaml': cloneSet({ name: 'other' }) },
    options: validate,
    expected: ['KR1025 head/plans/other.yaml:4:9'],
  },
  {
    what: 'manifests hidden by --out',
    head: clean,
    files: { 'head/apps/a.yaml': cloneSet({ name: 'a' }) },
    options: { args: ['validate', 'head', '--out', 'apps'] },
    expected: ['KR1025 head/apps/a.yaml:4:9'],
  },
  {
    what: 'base that cannot be read',
    base: clean.replace('kind', ': ['),
    head: clean,
    expected: ['KR1004 base/web.yaml:2:3'],
  },
  {
    what: 'key twice at base',
    base: clean.replace('  replicas: 10', '  replicas: 9\n  replicas: 10'),
    head: clean,
    expected: ['KR1039 base/web.yaml:8:3'],
  },
  {
    what: 'workload removed',
    base: clean,
    files: { 'head/x.yaml': '' },
    expected: ['KR2120 base/web.yaml:4:9'],
  },
  {
    what: 'policy that gets looser',
    base: policy('Required'),
    head: policy('Auto'),
    expected: ['KR2121 head/web.yaml:6:40'],
  },
  {
    what: 'policy that is removed',
    base: policy('Required'),
    head: clean,
    expected: ['KR2121 head/web.yaml:3:1'],
  },
  { what: 'policy that gets stricter', base: policy('Auto'), head: policy('Required'), expected: [] },
  {
    what: 'policy that does not exist',
    head: policy('auto'),
    options: validate,
    expected: ['KR2122 head/web.yaml:6:40'],
  },
  {
    what: 'no image',
    head: clean.replace(/ +image:.*\n/, ''),
    options: validate,
    expected: ['KR2123 head/web.yaml:17:15'],
  },
  {
    what: 'two containers of one name',
    head: cloneSet({ pod: '      - {name: nginx, image: "a:1"}' }),
    options: validate,
    expected: ['KR2124 head/web.yaml:19:16'],
  },
  {
    what: 'edited plan at head',
    base: clean,
    head: changed,
    files: { [`head/${planPath}`]: edited },
    expected: ['KR3010'],
  },
  {
    what: 'edited plan, validated',
    head: changed,
    files: { [`head/${planPath}`]: edited },
    options: validate,
    expected: [`KR3001 head/${planPath}:35:11`],
  },
  {
    what: 'a key twice is one mistake, whatever its values are',
    head: clean.replace('  replicas: 10', '  replicas: 10\n  replicas: many'),
    options: validate,
    expected: ['KR1005 head/web.yaml:8:3'],
  },
  {
    what: 'a trap is one mistake, whatever it is read as',
    head: cloneSet({ image: '1_000' }),
    options: validate,
    expected: ['KR1006 head/web.yaml:18:16'],
  },
  {
    what: 'a number that is too large, in place of a volume beside a claim',
    head: cloneSet({
      spec: '  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}',
      pod: '      volumes: [9007199254740993]',
    }),
    expected: ['KR1014 head/web.yaml:22:17'],
  },
  {
    what: 'two environment variables without a name, of which none hides the other',
    head: cloneSet({ container: '        env: [{value: a}, {value: b}]' }),
    expected: ['KR2004 head/web.yaml:19:15', 'KR2004 head/web.yaml:19:27'],
  },
];
