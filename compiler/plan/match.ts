import type { KruiseConfig, StepRule, TargetMatch } from '../../schemas/generated/types/config.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { remembered } from '../../semantics/values/remembered.ts';
import { plannedKind } from './kinds.ts';
import type { Named } from './predecessors.ts';

/** What a rule of kruise.yaml is compared with. */
export interface Matched extends Named {
  /** The manifest, for its labels. */
  object?: KubeObject | undefined;
}

/** Stands for any characters of a name, also for none. */
const ANY = '*';

/** The values of a field that takes one or a list. */
export function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** Whether a pattern matches a text as a whole. Takes time proportional to the text, whatever the pattern. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...others] = pattern.split(ANY);
  const last = others.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length >= at + last.length && text.endsWith(last);
}

export function isPattern(text: string): boolean {
  return text.includes(ANY);
}

type Test = (target: Matched) => boolean;

/** Whether a rule matches a target: all of its fields must, and one entry of a list suffices. */
export function matches(match: TargetMatch, target: Matched): boolean {
  return testOf(match)(target);
}

/** Made once: a rule is compared with every target. */
const testOf = remembered(({ kind, namespace, name, labels }: TargetMatch): Test => {
  const parts: Test[] = [];
  const kinds = listOf(kind);
  if (kind !== undefined) parts.push((target) => kinds.some((each) => isOfKind(target, each)));
  const [inNamespace, isNamed] = [oneOf(namespace), oneOf(name)];
  if (namespace !== undefined)
    parts.push((target) => target.namespace !== undefined && inNamespace(target.namespace));
  if (name !== undefined) parts.push((target) => isNamed(target.name));
  for (const [key, pattern] of Object.entries(labels ?? {})) {
    parts.push((target) => {
      const value = labelOf(target, key);
      return value !== undefined && matchesPattern(pattern, value);
    });
  }
  return (target) => parts.every((part) => part(target));
});

/** Exact texts are looked up, as a list may be long. */
function oneOf(value: string | readonly string[] | undefined): (text: string) => boolean {
  const all = listOf(value);
  const patterns = all.filter(isPattern);
  const texts = new Set(all.filter((each) => !isPattern(each)));
  return (text) => texts.has(text) || patterns.some((each) => matchesPattern(each, text));
}

/** A label of the manifest itself. It may not be valid yet, so other values than text are possible. */
export function labelOf({ object }: Matched, key: string): string | undefined {
  const labels: unknown = object?.metadata.labels;
  if (typeof labels !== 'object' || labels === null || !Object.hasOwn(labels, key)) return undefined;
  const value = (labels as Record<string, unknown>)[key];
  return typeof value === 'string' ? value : undefined;
}

function isOfKind({ kind, type }: Named, written: string): boolean {
  const matching = plannedKind(written);
  return matching === undefined
    ? written === kind && type === undefined
    : matching === (type ?? plannedKind(kind));
}

/** The rules of kruise.yaml in their order. The default is the last one and matches every target. */
export const rulesOf = remembered((config: KruiseConfig): readonly StepRule[] => {
  const rest = config.default === undefined ? [] : [{ ...config.default, match: {} }];
  return [...(config.steps ?? []), ...rest];
});

/** The path of a rule in kruise.yaml. */
export function pathOfRule(config: KruiseConfig, index: number): string[] {
  return isDefault(config, index) ? ['default'] : ['steps', String(index)];
}

/** Whether a rule is the default. */
export function isDefault(config: KruiseConfig, index: number): boolean {
  return index >= (config.steps?.length ?? 0);
}

/** A rule as messages name it. */
export function nameOfRule(config: KruiseConfig, index: number): string {
  return isDefault(config, index) ? 'the default' : `rule ${index + 1}`;
}

/** Cache: several stages ask for the rule of a target. */
const indexes = new WeakMap<KruiseConfig, WeakMap<Matched, number>>();

/** The rule that applies to a target, as an index of `rulesOf`: the first that matches. */
export function ruleIndexFor(config: KruiseConfig, target: Matched): number | undefined {
  let known = indexes.get(config);
  if (known === undefined) indexes.set(config, (known = new WeakMap()));
  let index = known.get(target);
  if (index === undefined) {
    index = rulesOf(config).findIndex(({ match }) => matches(match, target));
    known.set(target, index);
  }
  return index < 0 ? undefined : index;
}

/** The rule that applies to a target. */
export function ruleFor(config: KruiseConfig, target: Matched): StepRule | undefined {
  const index = ruleIndexFor(config, target);
  return index === undefined ? undefined : rulesOf(config)[index];
}
