import type { Configuration } from '../load/configuration.ts';
import type { StepsFrom } from './change.ts';
import { isDefault, ruleIndexFor } from './match.ts';
import type { Target } from './target.ts';

/** The origin of the steps of a target. */
export function stepsFrom(
  { config, locate }: Pick<Configuration, 'config' | 'locate'>,
  { manifest }: Target,
): StepsFrom {
  const rule = ruleIndexFor(config, manifest);
  if (rule !== undefined) return isDefault(config, rule) ? 'default' : rule + 1;
  return locate === undefined ? 'no file' : 'none';
}
