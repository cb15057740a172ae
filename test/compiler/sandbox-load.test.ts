import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, namesAt } from './world/sandbox-client.ts';
import { cloneSet, configMap, definition, namespace, thing } from './world/sandbox-manifests.ts';
import { emptyFolder, endSandboxes, onceThrough, startReady } from './world/sandbox-run.ts';

afterEach(endSandboxes);

describe('--load', () => {
  it('applies files and folders, definitions and namespaces first, and changes what is there', async () => {
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
    const words = ['--load', 'manifests', '--load', 'more.txt', '--state', 'state'];
    const run = await startReady(words, { folder });
    expect(run.err).toBe('');
    expect(run.out).toContain('  Loaded 6 objects from 4 files.\n');
    expect(await namesAt(folder, '/api/v1/namespaces/shop/configmaps')).toEqual(['one', 'two']);
    expect(await namesAt(folder, '/api/v1/namespaces/default/configmaps')).toEqual(['three']);
    expect(await namesAt(folder, '/apis/example.com/v1/things')).toEqual(['thing']);
    // Somebody else writes the field in between: the file is what counts at the next start.
    const path = '/api/v1/namespaces/shop/configmaps/one';
    const body = JSON.stringify({ data: { key: 'other' } });
    await ask(folder, path, { method: 'PATCH', body, contentType: 'application/merge-patch+json' });
    run.stop();
    await run.code;
    writeFileSync(join(folder, 'manifests/a.yaml'), configMap('one', 'shop', 'new'));
    await startReady(words, { folder });
    expect((await ask(folder, path)).body).toMatchObject({
      data: { key: 'new' },
    });
  });

  it('leaves objects that kubectl apply goes on from: it finds what it would have remembered', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a.yaml'), configMap('one'));
    await startReady(['--load', 'a.yaml'], { folder });
    const { body } = await ask(folder, '/api/v1/namespaces/default/configmaps/one');
    expect(body).toMatchObject({
      metadata: {
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration':
            '{"apiVersion":"v1","data":{"key":"old"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"one","namespace":"default"}}\n',
        },
      },
    });
  });

  it('starts nothing when a file does not parse, and shows every place', async () => {
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

  it('starts nothing when an object is given twice, and says where both stand', async () => {
    const folder = emptyFolder();
    writeFileSync(
      join(folder, 'a.yaml'),
      [configMap('one'), configMap('one', 'shop'), namespace('shop')].join('---\n'),
    );
    writeFileSync(join(folder, 'b.yaml'), configMap('one', 'default'));
    const run = await onceThrough(['--load', 'a.yaml', '--load', 'b.yaml'], { folder });
    expect(await run.code).toBe(1);
    expect(run.err).toBe(
      'b.yaml:3: ConfigMap default/one: it is given twice, first at a.yaml:3\n' +
        'kruise sandbox: 1 object was refused; nothing was loaded, and nothing was started\n',
    );
  });

  it('starts nothing when the server refuses an object, and says all of them', async () => {
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
      'all.yaml:8: ConfigMap nowhere/lost: namespaces "nowhere" not found; load a Namespace of that name, too',
      expect.stringMatching(
        /^all\.yaml:13: ConfigMap Bad_Name: ConfigMap "Bad_Name" is invalid: metadata\.name: /,
      ),
      expect.stringMatching(/^all\.yaml:18: CloneSet web: .*spec\.replicas/),
      'all.yaml:29: ClonSet typing: there is no kind ClonSet in apps.kruise.io/v1alpha1; did you mean CloneSet?',
      'all.yaml:40: CloneSet old: there is no CloneSet in apps.kruise.io/v1; use apps.kruise.io/v1alpha1 or apps.kruise.io/v1beta1',
      'all.yaml:51: CloneSet other: there is no CloneSet in v1; did you mean apps.kruise.io/v1beta1?',
      'all.yaml:60: ConfigMap: it has no apiVersion and kind, so it is no Kubernetes object',
      'all.yaml:62: ConfigMap: it has no metadata.name',
      'all.yaml:67: Unheard x: there is no kind Unheard in example.com/v1; load its CustomResourceDefinition, too',
      'kruise sandbox: 9 objects were refused; nothing was loaded, and nothing was started',
      '',
    ]);
    expect(readdirSync(folder)).toEqual(['all.yaml']);
  });
});
