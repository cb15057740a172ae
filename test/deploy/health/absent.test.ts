import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { textOf } from '../../../semantics/values/read.ts';
import { fluxSpec, stateOf } from './flux.ts';
import { argoConfig, type Scripts, startLua } from './lua.ts';
import { readStates } from './objects.ts';

let lua: Scripts;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());

const HEALTHS = ['Healthy', 'Suspended', 'Progressing', 'Degraded'];

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object without each of its fields in turn, and of each list without each field of an entry; identity is always there. */
function* without(value: JsonObject, depth = 4): Generator<JsonObject> {
  for (const [key, child] of Object.entries(value)) {
    if (['apiVersion', 'kind', 'metadata', 'target'].includes(key)) continue;
    const { [key]: _removed, ...rest } = value;
    yield rest;
    if (depth === 0) continue;
    if (isObject(child)) for (const each of without(child, depth - 1)) yield { ...rest, [key]: each };
    else if (Array.isArray(child))
      for (const [index, entry] of child.entries())
        if (isObject(entry))
          for (const each of without(entry, 0)) yield { ...rest, [key]: child.with(index, each) };
  }
}

/** One error of a script ends every sync of an Application, that of the fix included. */
describe.each(kinds.map((kind) => [kind.id.kind, kind] as const))('a %s', (name, kind) => {
  const states = readStates(kind);

  test('has a health whatever field of it is absent', () => {
    for (const { target } of states)
      for (const object of [target, ...without(target)]) {
        const { status, message } = lua.healthOf(`${kind.id.group}_${name}`, object);
        expect(HEALTHS).toContain(status);
        expect(typeof message).toBe('string');
        for (const check of fluxSpec.healthCheckExprs.filter((each) => each.kind === name))
          expect(['InProgress', 'Failed', 'Current']).toContain(stateOf(check, object));
      }
  });

  test('is in progress without a status', () => {
    for (const { target } of states) {
      const { status: _status, ...unobserved } = target;
      expect(lua.healthOf(`${kind.id.group}_${name}`, unobserved)['status']).toBe('Progressing');
    }
  });

  test('has a plan with a health, and actions, whatever field of that is absent', () => {
    for (const { plan } of states)
      for (const object of plan === undefined ? [] : [plan, ...without(plan)]) {
        const key = `plan.kruise.io_${textOf(object['kind'])}`;
        expect(HEALTHS).toContain(lua.healthOf(key, object)['status']);
        const { 'discovery.lua': discovery } = parse(
          argoConfig[`resource.customizations.actions.${key}`] ?? '',
        ) as { 'discovery.lua': string };
        expect(Object.keys(lua.run(discovery, object))).toContain('approve');
      }
  });
});
