import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { request, namesAt } from '../world/sandbox-client.ts';
import { cloneSet, configMap, definition, namespace, thing } from '../world/sandbox-manifests.ts';
import { emptyFolder, endSandboxes, onceThrough, startReady } from '../world/sandbox-run.ts';

afterEach(endSandboxes);

describe('--load', () => {
  it('applies files and folders, definitions and namespaces first, and updates existing objects', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'manifests/deeper'), { recursive: true });
    writeFileSync(
      join(folder, 'manifests/a.yaml'),
      `${configMap('one', 'shop')}---\n${configMap('two', 'shop')}`,
    );
    writeFileSync(join(folder, 'manifests/deeper/thing.json'), JSON.stringify(thing));
    writeFileSync(join(folder, 'manifests/z.yaml'), `${definition}---\n${namespace('shop')}`);
    writeFileSync(join(folder, 'manifests/README.md'), '# not a manifest');
    writeFileSync(
      join(folder, 'more.txt'),
      `kind: List\napiVersion: v1\nitems:\n  - ${configMap('three').replaceAll('\n', '\n    ').trim()}\n`,
    );
    const args = ['--load', 'manifests', '--load', 'more.txt', '--state', 'state'];
    const run = await startReady(args, { folder });
    expect(run.err).toBe('');
    expect(run.out).toContain('  Loaded 6 objects from 4 files.\n');
    expect(await namesAt(folder, '/api/v1/namespaces/shop/configmaps')).toEqual(['one', 'two']);
    expect(await namesAt(folder, '/api/v1/namespaces/default/configmaps')).toEqual(['three']);
    expect(await namesAt(folder, '/apis/example.com/v1/things')).toEqual(['thing']);
    // Another client writes the field in between: the file applies at the next start.
    const path = '/api/v1/namespaces/shop/configmaps/one';
    const body = JSON.stringify({ data: { key: 'other' } });
    await request(folder, path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });
    run.stop();
    await run.code;
    writeFileSync(join(folder, 'manifests/a.yaml'), configMap('one', 'shop', 'new'));
    await startReady(args, { folder });
    expect((await request(folder, path)).body).toMatchObject({
      data: { key: 'new' },
    });
  });

  it('sets the last applied configuration, so that kubectl apply continues with it', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.yaml'), configMap('one'));
    await startReady(['--load', 'a.yaml'], { folder });
    const { body } = await request(folder, '/api/v1/namespaces/default/configmaps/one');
    expect(body).toMatchObject({
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration':
            '{"apiVersion":"v1","data":{"key":"old"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"one","namespace":"default"}}\n',
        },
      },
    });
  });

  it('starts nothing if a file does not parse, and shows every position', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.yaml'), 'a: [');
    writeFileSync(join(folder, 'b.yaml'), configMap('fine'));
    writeFileSync(join(folder, 'c.yaml'), 'kind: {{ .Values.kind }}\n');
    const run = await onceThrough(['--load', '.', '--load', 'nowhere'], { folder });
    expect(await run.code).toBe(1);
    expect(run.err).toContain('a.yaml:1:');
    expect(run.err).toContain('c.yaml:1:');
    expect(run.err).toContain('nowhere');
    expect(run.err).toMatch(/nothing was loaded, and nothing was started\n$/);
    expect(readdirSync(folder).sort()).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
  });

  it('starts nothing if an object is declared twice, and shows both positions', async () => {
    const folder = emptyFolder();
    writeFileSync(
      join(folder, 'a.yaml'),
      [configMap('one'), configMap('one', 'shop'), namespace('shop')].join('---\n'),
    );
    writeFileSync(join(folder, 'b.yaml'), configMap('one', 'default'));
    const run = await onceThrough(['--load', 'a.yaml', '--load', 'b.yaml'], { folder });
    expect(await run.code).toBe(1);
    expect(run.err).toBe(
      'b.yaml:3:19: ConfigMap default/one: it is declared twice, first at a.yaml:3:19\n' +
        'kruise sandbox: 1 object was refused; nothing was loaded, and nothing was started\n',
    );
  });

  it('starts nothing if the server refuses an object, and reports all refusals', async () => {
    const folder = emptyFolder();
    const manifests = [
      configMap('fine'),
      configMap('lost', 'nowhere'),
      configMap('Bad_Name'),
      cloneSet('web').replace('replicas: 2', 'replicas: two'),
      cloneSet('typing').replace('CloneSet', 'ClonSet'),
      cloneSet('old').replace('v1alpha1', 'v1'),
      cloneSet('other').replace('apps.kruise.io/v1alpha1', 'v1'),
      'kind: ConfigMap\n',
      'apiVersion: v1\nkind: ConfigMap\n',
      'apiVersion: example.com/v1\nkind: Unheard\nmetadata: { name: x }\n',
    ];
    writeFileSync(join(folder, 'all.yaml'), manifests.join('---\n'));
    const run = await onceThrough(['--load', 'all.yaml', '--state', 'state'], { folder });
    expect(await run.code).toBe(1);
    expect(run.out).toBe('');
    expect(run.err.split('\n')).toEqual([
      'all.yaml:8:36: ConfigMap nowhere/lost: there is no namespace nowhere; load a Namespace of that name, too',
      expect.stringMatching(
        /^all\.yaml:13:19: ConfigMap Bad_Name: metadata\.name: Invalid value: "Bad_Name": /,
      ),
      'all.yaml:20:13: CloneSet web: spec.replicas must be a number, found text: "two"',
      'all.yaml:28:7: ClonSet typing: there is no kind ClonSet in apps.kruise.io/v1alpha1; did you mean CloneSet?',
      'all.yaml:39:7: CloneSet old: there is no CloneSet in apps.kruise.io/v1; use apps.kruise.io/v1alpha1 or apps.kruise.io/v1beta1',
      'all.yaml:50:7: CloneSet other: there is no CloneSet in v1; did you mean apps.kruise.io/v1beta1?',
      'all.yaml:60:1: ConfigMap: it has no apiVersion; a Kubernetes object has apiVersion, kind and metadata.name',
      'all.yaml:62:1: ConfigMap: it has no metadata.name',
      'all.yaml:66:7: Unheard x: there is no kind Unheard in example.com/v1; load its CustomResourceDefinition, too',
      'kruise sandbox: 9 objects were refused; nothing was loaded, and nothing was started',
      '',
    ]);
    expect(readdirSync(folder)).toEqual(['all.yaml']);
  });

  test.each([
    [
      'an address',
      'https://example.com/a.yaml',
      '--load does not read URLs: https://example.com/a.yaml; save it to a file, or, after the start: kubectl apply -f https://example.com/a.yaml\n',
    ],
    [
      'standard input',
      '-',
      '--load does not read standard input; save it to a file, or, after the start: kubectl apply -f -\n',
    ],
    [
      'an empty folder',
      'empty',
      'empty contains no manifests; only files ending in .yaml, .yml or .json are read, in this folder and below\n',
    ],
    [
      'a folder of other files',
      'texts',
      'texts contains no manifests; only files ending in .yaml, .yml or .json are read, in this folder and below\n',
    ],
    [
      'comments',
      'comments.yaml',
      'comments.yaml contains no Kubernetes object; name a file or folder with Kubernetes objects\n',
    ],
    [
      'a kustomization',
      'kustomized',
      'kustomized is a kustomization, not a folder of manifests; build it first: kubectl kustomize kustomized > all.yaml, then --load all.yaml\n',
    ],
    [
      'a chart',
      'chart',
      'chart is a Helm chart, not a folder of manifests; build it first: helm template chart > all.yaml, then --load all.yaml\n',
    ],
  ])('refuses %s, and explains what to do', async (_what, path, sentence) => {
    const folder = emptyFolder();
    const files = {
      'texts/README.md': '# none',
      'comments.yaml': '# none\n---\n',
      'kustomized/kustomization.yaml': 'resources: [a.yaml]\n',
      'kustomized/a.yaml': configMap('a'),
      'chart/Chart.yaml': 'name: chart\n',
    };
    mkdirSync(join(folder, 'empty'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const run = await onceThrough(['--load', path], { folder });
    expect(await run.code).toBe(1);
    expect(run.out).toBe('');
    expect(run.err.replace('nothing was loaded, and nothing was started\n', '')).toBe(
      `kruise sandbox: ${sentence}`,
    );
  });

  it('warns that a nested kustomization has no effect', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'all/base'), { recursive: true });
    writeFileSync(join(folder, 'all/base/kustomization.yaml'), 'resources: [a.yaml]\n');
    writeFileSync(join(folder, 'all/base/a.yaml'), configMap('a'));
    const run = await onceThrough(['--load', 'all'], { folder });
    expect(await run.code).toBe(0);
    expect(run.err).toBe('kruise sandbox: all/base is a kustomization; its files are loaded without it\n');
  });

  it('accepts objects read from another cluster', async () => {
    const folder = emptyFolder();
    const from = {
      uid: '1-2',
      resourceVersion: '5',
      creationTimestamp: null,
      generation: 3,
      managedFields: [{}],
    };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one', ...from } };
    writeFileSync(join(folder, 'a.json'), JSON.stringify(object));
    const run = await startReady(['--load', 'a.json'], { folder });
    expect(run.err).toBe('');
    expect(await namesAt(folder, '/api/v1/namespaces/default/configmaps')).toEqual(['one']);
  });

  test.each([
    [
      'an unknown field',
      'spec: { replica: 4 }',
      '4:9: CloneSet c: unknown field spec.replica; did you mean replicas?',
    ],
    [
      'a number for text',
      'metadata: { name: c, labels: { a.b/c: 5 } }',
      '3:39: CloneSet c: metadata.labels.a.b/c must be text, found 5; write it in quotes: "5"',
    ],
    [
      'a number for a name',
      'metadata: { name: 5 }',
      '3:19: CloneSet: metadata.name must be text, found 5; write it in quotes: "5"',
    ],
    [
      'a generated name',
      'metadata: { generateName: c }',
      '3:1: CloneSet: it has a generateName only; give it a metadata.name',
    ],
    [
      'text for a map',
      'spec: { selector: app }',
      '4:19: CloneSet c: spec.selector must be a map, found text: "app"',
    ],
    [
      'a map for a list',
      'spec: { volumeClaimTemplates: {} }',
      '4:31: CloneSet c: spec.volumeClaimTemplates must be a list, found a map',
    ],
    [
      'a text',
      'just text',
      '1:1: document: it is text; a Kubernetes object has apiVersion, kind and metadata.name',
    ],
    [
      'a list',
      '[1, 2]',
      '1:1: document: it is a list; a Kubernetes object has apiVersion, kind and metadata.name',
    ],
    [
      'a kustomization',
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization',
      '1:1: Kustomization: it is a kustomization, not an object; load the output of kubectl kustomize FOLDER',
    ],
  ])('explains %s', async (_what, text, sentence) => {
    const folder = emptyFolder();
    const [metadata, spec] = text.startsWith('metadata')
      ? [text, 'spec: {}']
      : ['metadata: { name: c }', text];
    const isWhole = !/^(metadata|spec):/.test(text);
    writeFileSync(
      join(folder, 'a.yaml'),
      isWhole ? text : `apiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet\n${metadata}\n${spec}\n`,
    );
    const run = await onceThrough(['--load', 'a.yaml'], { folder });
    expect(await run.code).toBe(1);
    expect(run.err.split('\n')[0]).toBe(`a.yaml:${sentence}`);
  });

  it('shows the position of a problem in a list of a built-in kind', async () => {
    const folder = emptyFolder();
    writeFileSync(
      join(folder, 'pod.yaml'),
      `apiVersion: v1
kind: Pod
metadata: { name: p }
spec:
  restartPolicy: Sometimes
  containers:
    - name: c
      image: web:1
      env:
        - { name: A, value: 1 }
        - { value: b }
      ports:
        - containerPort: 80
        - containerPort: 80
`,
    );
    const run = await onceThrough(['--load', 'pod.yaml'], { folder });
    expect(run.err.split('\n').slice(0, 4)).toEqual([
      'pod.yaml:10:29: Pod p: spec.containers[name="c"].env[name="A"].value must be text, found 1; write it in quotes: "1"',
      'pod.yaml:11:11: Pod p: spec.containers[name="c"].env[1] has no name',
      'pod.yaml:13:9: Pod p: spec.containers[name="c"].ports has containerPort=80, protocol="TCP" more than once',
      'kruise sandbox: 1 object was refused; nothing was loaded, and nothing was started',
    ]);
    writeFileSync(
      join(folder, 'pod.yaml'),
      'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec:\n  restartPolicy: Sometimes\n  containers: [{ name: c, image: web }, { name: D, image: web }]\n',
    );
    const second = await onceThrough(['--load', 'pod.yaml'], { folder });
    expect(second.err).toMatch(/^pod\.yaml:6:49: Pod p: spec\.containers\[1\]\.name: Invalid value: "D"/m);
    expect(second.err).toMatch(
      /^pod\.yaml:5:18: Pod p: spec\.restartPolicy: Unsupported value: "Sometimes"/m,
    );
  });
});
