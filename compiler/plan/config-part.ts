import type { Batch, KruiseConfig, Root, StepRule } from '../../schemas/generated/types/config.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';
import { valueAt } from '../validate/schema-errors.ts';
import { faultOf } from '../validate/valid-part.ts';

/** A rule of kruise.yaml, or its default, without the values that do not fit the schema. */
export interface CheckedRule {
  rule: StepRule;
  /** Path in kruise.yaml. */
  at: string[];
  /** Whether a field of the rule was removed, so that rules about it cannot be checked. */
  isFaulty(field: keyof StepRule): boolean;
}

/** A root of kruise.yaml that fits the schema, and its place in the list there. */
export interface CheckedRoot {
  root: Root;
  index: number;
}

/** The part of kruise.yaml that fits its schema. */
export interface ConfigPart {
  config: KruiseConfig;
  rules: CheckedRule[];
  /** Those that fit, even where others do not and the configuration has no roots for that. */
  roots: CheckedRoot[];
  /** Whether it is known which targets each rule matches. */
  isMatchKnown: boolean;
}

/** Fields of a batch without which the others keep their meaning. `nodes` and `subsets` are none: `to` is of these. */
const SEPARATE: ReadonlySet<string> = new Set(['timeout', 'window', 'parallelism', 'spread']);

/** @param value kruise.yaml as data, a map */
export function configPart(value: object, errors: readonly SchemaError[]): ConfigPart {
  const faults = errors.map(faultOf);
  const roots = soundRoots(value, faults);
  const config = (errors.length === 0 ? value : structuredClone(value)) as KruiseConfig;
  const removed = faults.map((fault) => removedFor(fault, config));
  for (const path of removed) remove(config, path);
  // A rule that is no map matches what nobody knows.
  const isRule = (at: readonly string[]): boolean => isMap(valueAt(config, at));
  const steps: readonly unknown[] = Array.isArray(config.steps) ? config.steps : [];
  const paths = steps.map((_, index) => ['steps', String(index)]);
  const gone = new Set(removed.map((path) => path.join('/')));
  const isFaulty = (path: readonly string[]): boolean => gone.has(path.join('/'));
  const isMatchFaulty = (at: readonly string[]): boolean =>
    removed.some((path) => path[2] === 'match' && at.every((key, index) => path[index] === key));
  const rules = [...paths, ['default']].filter(isRule).map((at): CheckedRule => {
    const rule = { match: {}, ...(valueAt(config, at) as Partial<StepRule>) };
    const isOut = (field: keyof StepRule): boolean =>
      field === 'match' ? isMatchFaulty(at) : isFaulty([...at, field]);
    return { rule, at, isFaulty: isOut };
  });
  const isMatchKnown = !isFaulty(['steps']) && paths.every((at) => isRule(at) && !isMatchFaulty(at));
  // Planning needs every rule; there is an error then anyway.
  if (!isMatchKnown) delete config.steps;
  return { config, rules, roots, isMatchKnown };
}

function soundRoots(value: object, faults: readonly (readonly string[])[]): CheckedRoot[] {
  const faulty = faults.flatMap(([top, index]) => (top === 'roots' ? [index] : []));
  // A fault of the list itself leaves none.
  if (faulty.includes(undefined)) return [];
  const { roots = [] } = value as KruiseConfig;
  return roots.flatMap((root, index) => (faulty.includes(String(index)) ? [] : [{ root, index }]));
}

/** What is removed for a fault: the field of the rule or of kruise.yaml, or less where the rest keeps its meaning. */
function removedFor(fault: readonly string[], config: KruiseConfig): string[] {
  const [top = '', ...below] = fault;
  const at = top === 'steps' ? fault.slice(0, 2) : [top];
  const rest = top === 'steps' ? below.slice(1) : below;
  if (top !== 'steps' && top !== 'default') return [top];
  if (top === 'steps' && below.length === 0) return ['steps'];
  const [field, index, key] = rest;
  if (field === undefined) return at;
  const isUnknown = !RULE_FIELDS.has(field);
  if (isUnknown) return [...at, field];
  if (field === 'batches' && index !== undefined && key !== undefined) {
    const isSeparate = SEPARATE.has(key) || !BATCH_FIELDS.has(key);
    if (isSeparate && isMap(valueAt(config, [...at, field, index]))) return [...at, field, index, key];
  }
  if (field === 'between' && index !== undefined) return [...at, field, index];
  // The other fields of a match have problems of their own.
  if (field === 'match' && index !== undefined)
    return index === 'labels' && key !== undefined ? [...at, field, index, key] : [...at, field, index];
  return [...at, field];
}

const RULE_FIELDS: ReadonlySet<string> = new Set<keyof StepRule>([
  ...(['match', 'pull', 'batches', 'between', 'approve', 'onFailure', 'timeout', 'group', 'after'] as const),
]);
const BATCH_FIELDS: ReadonlySet<string> = new Set<keyof Batch>([
  ...(['to', 'atLeast', 'nodes', 'subsets', 'window', 'parallelism', 'spread', 'timeout'] as const),
]);

function remove(config: KruiseConfig, path: readonly string[]): void {
  const owner = valueAt(config, path.slice(0, -1));
  const key = path.at(-1);
  // An item of a list stays where it is: the numbers of the others are in messages.
  if (key !== undefined && isMap(owner)) delete (owner as Record<string, unknown>)[key];
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
