import { expect } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import type { CloneSetParts, RunOptions } from './manifests.ts';
import { cloneSet, kruise } from './manifests.ts';
import type { MemoryHost } from '../../cli/world/memory-host.ts';

export type Files = Record<string, string>;

export const config = (steps: string): Files => ({ 'kruise.yaml': `steps: [{match: {}, ${steps}}]` });
export const v1 = { image: 'nginx:1' };
export const v2 = { image: 'nginx:2' };
export const manifest = (...sets: CloneSetParts[]): Files => ({
  'web.yaml': sets.map(cloneSet).join('---\n'),
});

/** The files below head after a run with two states of a repository. */
export async function planned(
  base: Files,
  head: Files,
  args: readonly string[] = [],
  options: RunOptions = {},
) {
  const at = (root: string, files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]));
  const { host, code } = await kruise(
    { ...at('base', base), ...at('head', head) },
    { ...options, args: ['plan', 'head', '--base-dir', 'base', ...args] },
  );
  return { code, host, files: below(host) };
}

export function below(host: MemoryHost): Files {
  return Object.fromEntries(
    [...host.files]
      .filter(([path]) => path.startsWith('/repo/head/'))
      .map(([path, text]) => [path.replace('/repo/head/', ''), String(text)]),
  );
}

export const planIn = (files: Files, name = 'web'): RolloutPlan =>
  parse(files[`plans/shop/cloneset-${name}/plan.yaml`] ?? '') as RolloutPlan;
export const forecastIn = (files: Files): string => files['plans/shop/cloneset-web/forecast.md'] ?? '';

/** The committed files after nginx:2 was planned and has failed in the cluster. */
export async function failed(...parts: CloneSetParts[]): Promise<Files> {
  const batches = config('batches: [{to: 1}, {to: 100%}]');
  const { files } = await planned(manifest(v1, ...parts.map((other) => ({ ...other, ...v1 }))), {
    ...manifest(v2, ...parts.map((other) => ({ ...other, ...v2 }))),
    ...batches,
  });
  return files;
}

/** The committed files after `head` was planned on top of them. */
export async function committed(
  base: Files,
  head: CloneSetParts,
  args: readonly string[] = [],
): Promise<Files> {
  const { code, host, files } = await planned(base, { ...base, ...manifest(head) }, args);
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  return files;
}

export const modes = (files: Files): string[] => planIn(files).spec.from.map(({ mode }) => mode);
