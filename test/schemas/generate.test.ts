import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { coreSchema } from '../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../schemas/generate/crds.ts';
import { outputs } from '../../schemas/generate/outputs.ts';
import { authoredSchemas, mapSchema, readSchema, schemaFile } from '../../schemas/generate/schema.ts';
import { targetsFile } from '../../schemas/generate/targets.ts';
import { typesOf } from '../../schemas/generate/types.ts';
import { kindValidator, strictForm, validatorOf, validatorSpecs } from '../../schemas/generate/validators.ts';

describe('the generator', () => {
  // That the bytes are those of any other run, `npm run generate -- --check` shows.
  it('makes files in the order of their paths', async () => {
    const made = await outputs((_path, text) => Promise.resolve(text));
    expect([...made.keys()]).toEqual([...made.keys()].sort());
    expect(made.size).toBeGreaterThan(20);
  });

  it('makes definition and validator of a kind out of its file alone', async () => {
    const file = schemaFile('kruise/gadget.json', {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: 'https://plan.kruise.io/schemas/kruise/gadget.json',
      'x-kruise-crd': {
        group: 'apps.kruise.io',
        scope: 'Cluster',
        names: { kind: 'Gadget', plural: 'gadgets' },
        versions: [{ name: 'v1', storage: true }],
        subresources: { status: {} },
        additionalPrinterColumns: [],
      },
      definitions: {
        Gadget: {
          description: 'A thing.',
          type: 'object',
          required: ['spec'],
          properties: {
            apiVersion: { description: 'Group and version.', type: 'string' },
            kind: { description: 'Gadget.', type: 'string' },
            spec: {
              type: 'object',
              properties: { share: { $ref: 'workload.json#/definitions/IntOrPercent' } },
            },
          },
        },
      },
    });
    const files = [...authoredSchemas(), schemaFile('kubernetes/core.json', coreSchema()), file];
    const [definition, ...others] = customResourceDefinitions(file, files);
    expect([definition?.metadata.name, others]).toEqual(['gadgets.apps.kruise.io', []]);
    const spec = kindValidator(file);
    expect(spec).toEqual({
      name: 'validateGadget',
      file: 'gadget',
      reference: 'kruise/gadget.json#/definitions/Gadget',
      nullIsAbsence: true,
    });
    expect(validatorSpecs(files)).toContainEqual(spec);
    expect(targetsFile(files, '')).toContain(
      `{ group: 'apps.kruise.io', kind: 'Gadget', definition: 'kruise/gadget.json#/definitions/Gadget', validate: validateGadget },`,
    );
    expect(spec && (await validatorOf(files, spec)).code).toContain('as validateGadget');
  });

  it('names the package of the core kinds', () => {
    const manifest = JSON.parse(
      readFileSync('node_modules/@kubernetes/client-node/package.json', 'utf8'),
    ) as {
      version: string;
    };
    expect(coreSchema()['$comment']).toContain(`@kubernetes/client-node ${manifest.version}`);
  });

  it.each([
    ['Container', ['name']],
    ['PodSpec', ['containers']],
    ['Pod', ['apiVersion', 'kind', 'metadata']],
    ['PodTemplateSpec', undefined],
  ])('core: %s requires %j', (name, required) => {
    expect(coreSchema().definitions?.[name]?.required).toEqual(required);
  });

  it.each([
    [
      'ResourceRequirements',
      'limits',
      { type: 'object', additionalProperties: { $ref: '#/definitions/Quantity' } },
    ],
    ['HTTPGetAction', 'port', { $ref: '#/definitions/IntOrString' }],
    ['ObjectMeta', 'creationTimestamp', { type: 'string', format: 'date-time' }],
    ['LeaseSpec', 'renewTime', { type: 'string', format: 'date-time' }],
    ['PodSpec', 'nodeSelector', { type: 'object', additionalProperties: { type: 'string' } }],
    ['Container', 'env', { type: 'array', items: { $ref: '#/definitions/EnvVar' } }],
    ['ContainerStatus', 'restartCount', { type: 'integer', format: 'int32' }],
  ])('core: the type of %s.%s', (name, field, type) => {
    expect(coreSchema().definitions?.[name]?.properties?.[field]).toEqual(type);
  });

  it('names a type once although each reference has a description', async () => {
    const size = { $ref: '#/definitions/Size' };
    const types = await typesOf(
      schemaFile('x/x.json', {
        definitions: {
          Box: {
            type: 'object',
            properties: { inner: { ...size, description: 'One.' }, outer: { ...size, description: 'Two.' } },
          },
          Size: { type: 'object', properties: { w: { type: 'integer' } } },
        },
      }),
    );
    expect(types.match(/Size\w*/g)).toEqual(['Size', 'Size', 'Size']);
  });

  it.each([
    [
      'closes objects',
      { type: 'object', properties: {} },
      { type: 'object', properties: {}, additionalProperties: false },
    ],
    [
      'but not open ones',
      { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'object', properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
    ],
    [
      'bounds 32-bit integers',
      { type: 'integer', format: 'int32', minimum: 0 },
      { type: 'integer', minimum: 0, maximum: 2147483647 },
    ],
    [
      'joins scalar choices',
      { anyOf: [{ type: 'integer' }, { type: 'string' }] },
      { type: ['integer', 'string'] },
    ],
    ['drops defaults', { type: 'integer', default: 1 }, { type: 'integer' }],
  ])('strict form %s', (_name, schema, strict) => {
    expect(strictForm(schema)).toEqual(strict);
  });

  it.each(['kruise/cloneset.json', 'kruise/workload.json', 'kubernetes/core.json'])(
    '%s gives every field a type, so that no field takes null',
    (path) => {
      const untyped: unknown[] = [];
      mapSchema(strictForm(readSchema(path).schema), (node) => {
        const typed = node.type !== undefined || node.$ref !== undefined || node.definitions !== undefined;
        if (!typed) untyped.push(node);
        return node;
      });
      expect(untyped).toEqual([]);
    },
  );
});
