import type { KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { validateConfig } from '../../schemas/generated/validate/config.js';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { createLocator } from '../load/locate.ts';
import { readYaml } from '../load/read.ts';
import { schemaDiagnostics } from '../validate/schema-errors.ts';
import type { Locate } from '../validate/schema-errors.ts';

/**
 * kruise.yaml as data. An empty file is an empty configuration. With errors the configuration is empty and not to
 * be used.
 */
export function readConfig(source: Source): { config: KruiseConfig; diagnostics: Diagnostic[] } {
  const { documents, diagnostics } = readYaml(source);
  const [document] = documents;
  if (hasErrors(diagnostics) || document === undefined) return { config: {}, diagnostics };
  const whole = { source, start: 0, end: 0 };
  if (documents.length > 1) {
    return {
      config: {},
      diagnostics: [diagnostic('KR4005', { detail: `${documents.length} documents` }, whole)],
    };
  }
  const { value, diagnostics: odd } = document;
  if (hasErrors(odd) || value === null) return { config: {}, diagnostics: odd };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const detail = Array.isArray(value) ? 'a list' : 'text';
    return { config: {}, diagnostics: [diagnostic('KR4005', { detail }, whole)] };
  }
  const locator = createLocator();
  const locate: Locate = (path, part) => locator({ source, document: 0, path: [] }, path, part);
  const shape = schemaDiagnostics(validateConfig(value), 'KruiseConfig', value, [], locate);
  if (hasErrors(shape)) return { config: {}, diagnostics: [...odd, ...shape] };
  const config: KruiseConfig = value;
  const rules = (config.steps ?? []).flatMap((rule, index) =>
    ruleProblems(rule, ['steps', String(index)], locate),
  );
  return { config, diagnostics: [...odd, ...notExecuted(config, locate), ...rules] };
}

/** What the configuration may say but this version's runtime or compiler does not do. */
function notExecuted(config: KruiseConfig, locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (config.roots !== undefined) {
    const args = { feature: 'roots', effect: 'one folder is planned per run' };
    found.push(diagnostic('KR4001', args, locate(['roots'], 'key')));
    for (const [index, root] of config.roots.entries()) {
      if (root.render === undefined) continue;
      const render = { feature: 'render', effect: 'manifests are read as they lie there; render them first' };
      found.push(diagnostic('KR4001', render, locate(['roots', String(index), 'render'], 'key')));
    }
  }
  for (const [index, rule] of (config.steps ?? []).entries()) {
    if (rule.between?.check === undefined || rule.between.check.length === 0) continue;
    const args = { feature: 'check', effect: 'the roll-out could not get past the gate' };
    found.push(diagnostic('KR4001', args, locate(['steps', String(index), 'between', 'check'], 'key')));
  }
  return found;
}

function ruleProblems(rule: StepRule, at: string[], locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const batches = rule.batches ?? [{ to: '100%' }];
  for (const [index, { to }] of batches.entries()) {
    const before = batches[index - 1]?.to;
    if (before !== undefined && !goesBeyond(to, before)) {
      const place = locate([...at, 'batches', String(index), 'to'], 'value');
      found.push(diagnostic('KR4002', { batch: String(to), before: String(before) }, place));
    }
  }
  const last = batches.at(-1)?.to;
  if (last !== undefined && percentOf(last) !== 100) {
    const place = locate([...at, 'batches', String(batches.length - 1), 'to'], 'value');
    found.push(diagnostic('KR4003', { last: String(last) }, place));
  }
  for (const [index, batch] of (rule.approve ?? []).entries()) {
    if (batch >= 1 && batch < batches.length) continue;
    const place = locate([...at, 'approve', String(index)], 'value');
    found.push(diagnostic('KR4004', { batch, batches: batches.length }, place));
  }
  return found;
}

function percentOf(to: number | string): number | undefined {
  return typeof to === 'string' ? Number(to.slice(0, -1)) : undefined;
}

/** Counts and percentages cannot be compared without a number of replicas; such a pair passes. */
function goesBeyond(to: number | string, before: number | string): boolean {
  if (typeof to === 'number' && typeof before === 'number') return to > before;
  const [next, previous] = [percentOf(to), percentOf(before)];
  return next === undefined || previous === undefined || (next > previous && next <= 100);
}
