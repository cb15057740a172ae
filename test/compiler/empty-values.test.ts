import { expect, test } from 'vitest';
import { toYaml } from '../../compiler/render/yaml.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { diagnosticsOf } from './world/manifests.ts';

const TEXT = 'write a text; a field that is optional may be left out';
const ITEM = 'add an item; a field that is optional may be left out';

const request = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'ContainerRecreateRequest',
  metadata: { name: 'restart', namespace: 'shop' },
  spec: { podName: 'web-0', containers: [{ name: 'main' }], ...spec },
});

test.each<[string, JsonObject, string, string]>([
  ['podName', request({ podName: '' }), 'spec.podName', TEXT],
  ['containers', request({ containers: [] }), 'spec.containers', ITEM],
])('an empty value has no bounds to choose one in: %s', async (_what, manifest, field, help) => {
  const { all } = await diagnosticsOf({ 'crr.yaml': toYaml(manifest) }, { args: ['validate', '.'] });
  const found = all.filter(({ code }) => code === 'KR2005');
  expect(found.map(({ message }) => message.split(' ')[0])).toEqual([field]);
  expect(found.map((each) => each.help)).toEqual([help]);
});
