import { cloneSet, type RunOptions } from '../compiler/world/manifests.ts';

/** As YAML has it in double quotes: another reader of the file gets the characters themselves. */
const quoted = (text: string): string => JSON.stringify(text);

type Files = Record<string, string | Uint8Array>;

const before = cloneSet();
export const changed = (head: string, more: Files = {}): Files => ({
  'base/web.yaml': before,
  'head/web.yaml': head,
  ...more,
});

/** Where a string of a repository may stand. */
export const FIELDS: Readonly<Record<string, (text: string) => Files>> = {
  'a kind that is not ours': (text) =>
    changed(
      `${cloneSet({ image: 'a' })}---\napiVersion: apps.kruise.io/v1alpha1\nkind: ${quoted(text)}\nmetadata: {name: x}\n`,
    ),
  'a version': (text) => changed(cloneSet({ apiVersion: quoted(`apps.kruise.io/${text}`) })),
  'a group that is almost ours': (text) =>
    changed(cloneSet({ apiVersion: quoted(`apps.kruise.io${text.slice(1, 3)}/v1alpha1`) })),
  'a name': (text) =>
    changed(cloneSet({ name: quoted(text), selector: 'web' }).replace(/app: "[^}]*/, 'app: web')),
  'a namespace': (text) => changed(cloneSet({ namespace: quoted(text) })),
  'a key of a pod': (text) => changed(cloneSet({ pod: `      ${quoted(text)}: x` })),
  'a key of the target': (text) => changed(cloneSet({ spec: `  ${quoted(text)}: x` })),
  'a key that stands twice': (text) =>
    changed(cloneSet({ pod: `      ${quoted(text)}: x\n      ${quoted(text)}: y` })),
  'an image': (text) => changed(cloneSet({ image: quoted(text) })),
  'a value of an annotation': (text) =>
    changed(
      before.replace(
        'labels: {app: web}\n    spec',
        `labels: {app: web}\n      annotations: {note: ${quoted(text)}}\n    spec`,
      ),
    ),
  'a key of an annotation': (text) =>
    changed(
      before.replace(
        'labels: {app: web}\n    spec',
        `labels: {app: web}\n      annotations: {${quoted(text)}: x}\n    spec`,
      ),
    ),
  'a variable': (text) =>
    changed(cloneSet({ container: `        env: [{name: ${quoted(text)}, value: ${quoted(text)}}]` })),
  'a gate': (text) =>
    changed(cloneSet({ image: 'b', pod: `      readinessGates: [{conditionType: ${quoted(text)}}]` })),
  'a number': (text) => changed(cloneSet({ replicas: quoted(text) })),
  'a tag': (text) =>
    changed(cloneSet({ pod: `      hostname: !<${encodeURIComponent(text.replace(/\p{Cs}/gu, ''))}> x` })),
  'an anchor': (text) => changed(cloneSet({ pod: `      hostname: *${text.replace(/[\s,[\]{}]/g, '')}` })),
  'the text around a mistake': (text) =>
    changed(cloneSet({ pod: `      hostname: a\n      hostname: b # ${text.replaceAll(/[\r\n]/g, '')}` })),
  'the name of a file': (text) =>
    changed(cloneSet({ image: 'c' }), {
      [`head/${text.replaceAll('/', '')}.yaml`]: 'kind: [ # apps.kruise.io',
    }),
  'the name of a file that is good': (text) => ({
    'base/web.yaml': before,
    [`head/${text.replaceAll('/', '')}.yaml`]: cloneSet({ image: 'c:latest' }),
  }),
  'the name of a folder': (text) =>
    changed(cloneSet({ image: 'c' }), {
      [`head/${text.replaceAll('/', '')}/x.yaml`]: 'kind: [ # apps.kruise.io',
    }),
  'a rule': (text) =>
    changed(cloneSet({ image: 'd' }), {
      'head/kruise.yaml': `steps: [{match: {name: ${quoted(text)}}, group: ${quoted(text)}, between: {check: [${quoted(text)}]}, after: [{kind: CloneSet, name: ${quoted(text)}}]}]`,
    }),
  'a key of a rule': (text) =>
    changed(cloneSet({ image: 'd' }), { 'head/kruise.yaml': `steps: [{match: {}, ${quoted(text)}: x}]` }),
  'a check': (text) =>
    changed(cloneSet({ image: 'd' }), {
      'head/kruise.yaml': `steps: [{match: {}, batches: [{to: 5%}, {to: 100%}], between: {check: [{use: errors, args: {a: ${quoted(text)}}}]}}]`,
    }),
};

export const plan = ['plan', 'head', '--base-dir', 'base'];
/** The commands that print strings of a repository. */
export const COMMANDS: readonly (readonly [string, readonly string[], RunOptions?])[] = [
  ['plan', plan],
  ['plan, in color', plan, { env: { FORCE_COLOR: '1' } }],
  ['plan -o markdown', [...plan, '-o', 'markdown']],
  ['plan -o json', [...plan, '-o', 'json']],
  ['plan -o yaml', [...plan, '-o', 'yaml']],
  ['plan in CI', plan, { env: { CI: '1' } }],
  ['plan -o html', [...plan, '-o', 'html']],
  ['plan --check', [...plan, '--check']],
  ['plan --check -o markdown', [...plan, '--check', '-o', 'markdown']],
  ['plan --check -o json', [...plan, '--check', '-o', 'json']],
  ['plan --check -o html', [...plan, '--check', '-o', 'html']],
  ['explain', ['explain', 'cloneset/web', '--out', 'head/plans']],
  ['explain -o json', ['explain', 'cloneset/web', '--out', 'head/plans', '-o', 'json']],
  ['validate', ['validate', 'head']],
  ['validate -o json', ['validate', 'head', '-o', 'json']],
  ['build', ['build', 'head', '--sidecars']],
];

/** What `kruise comment` makes of a run. */
export const COMMENTS = ['markdown', 'github', 'gitlab'] as const;
