import { validateRuntimeConfig } from '../../schemas/generated/validate/runtimeconfig.js';
import type { Check, RuntimeConfig, Webhook } from '../../schemas/generated/types/runtimeconfig.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';
import { webhookRules } from '../notify/rules.ts';
import { type AddressRules, createAddressRules, isBlock } from './addresses.ts';
import { checkRules } from './rules.ts';
import type { Problem } from './rules.ts';

/**
 * Validates the configuration of the runtime, a parsed document. Returns all problems at once, one sentence each, with its
 * path first: `checks.0.pass: …`.
 */
export function readRuntimeConfig(value: unknown): { config: RuntimeConfig } | { problems: string[] } {
  const errors = validateRuntimeConfig(value);
  const found = [
    ...errors,
    ...addressProblems(value, errors),
    ...checkProblems(value, errors),
    ...webhookProblems(value, errors),
  ];
  if (found.length === 0) return { config: value as RuntimeConfig };
  return { problems: found.map(({ path, message }) => `${textOf(path)}: ${message}`) };
}

function addressProblems(value: unknown, errors: readonly SchemaError[]): Problem[] {
  return listIn(value, 'addresses')
    .map((block, index) => ({ block, path: ['addresses', String(index)] }))
    .filter(({ block, path }) => isSound(path, errors) && !isBlock(String(block)))
    .map(({ path }) => ({
      path,
      message: 'must be an address or a block of addresses, such as 127.0.0.0/8',
    }));
}

function checkProblems(value: unknown, errors: readonly SchemaError[]): Problem[] {
  const addresses = addressesIn(value);
  const names = new Set<string>();
  return listIn(value, 'checks').flatMap((item, index) => {
    const at = ['checks', String(index)];
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [];
    // The rules read only fields that the schema has accepted.
    const check = item as Check;
    const found = checkRules
      .filter(({ reads }) => reads.every((field) => isSound([...at, field], errors)))
      .flatMap(({ problems }) => problems(check, addresses));
    if (names.has(check.name))
      found.push({ path: ['name'], message: 'is already the name of another check' });
    if (typeof check.name === 'string') names.add(check.name);
    return found.map(({ path, message }) => ({ path: [...at, ...path], message }));
  });
}

function webhookProblems(value: unknown, errors: readonly SchemaError[]): Problem[] {
  const webhook = fieldIn(value, 'webhook');
  if (typeof webhook !== 'object' || webhook === null || Array.isArray(webhook)) return [];
  const addresses = addressesIn(value);
  return webhookRules
    .filter(({ reads }) => reads.every((field) => isSound(['webhook', field], errors)))
    .flatMap(({ problems }) => problems(webhook as Webhook, addresses))
    .map(({ path, message }) => ({ path: ['webhook', ...path], message }));
}

function addressesIn(value: unknown): AddressRules {
  const blocks = listIn(value, 'addresses').filter((block) => typeof block === 'string');
  return createAddressRules(blocks.filter(isBlock));
}

/** Whether the value at a path conforms to the schema, apart from unknown fields. */
function isSound(path: readonly string[], errors: readonly SchemaError[]): boolean {
  return errors.every(
    (error) =>
      error.keyword === 'additionalProperties' || path.some((key, index) => error.path[index] !== key),
  );
}

function listIn(value: unknown, field: 'addresses' | 'checks'): unknown[] {
  const list = fieldIn(value, field);
  return Array.isArray(list) ? list : [];
}

function fieldIn(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  return (value as Record<string, unknown>)[field];
}

/** A path for messages. Unusual keys are quoted: a key may contain anything, and messages are printed to terminals. */
function textOf(path: readonly string[]): string {
  if (path.length === 0) return 'configuration';
  return path.map((key) => (/^[-\w]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}
