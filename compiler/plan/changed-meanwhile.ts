import type { KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { targetName } from '../committed/finding.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { configOfState } from '../load/configuration.ts';
import { fromCwd, joinPath } from '../load/files.ts';
import { loadState } from '../load/manifests.ts';
import type { State } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import { readSource } from '../load/read.ts';
import type { Change } from './change.ts';
import { ruleFor } from './match.ts';
import { readPlan, targetId } from './read-plans.ts';
import type { PlanFile } from './read-plans.ts';
import { planPath } from './target.ts';

/** A state, and what it is read from. */
interface Read {
  host: CompilerHost;
  state: State;
}

/** What head, base, and the newest state of the branch that the change goes to are read from. */
export interface ChangedMeanwhile {
  head: Read;
  base: Read;
  tip: Read & { branch: string };
  plansAtBase: ReadonlyMap<string, PlanFile>;
  budget: Budget;
}

/**
 * Says what the branch that a change goes to did since head left it, and that makes the plan of a change another one: a plan of
 * the target, a change of its manifest, or of what kruise.yaml says of it. A merge would be clean, and nobody would review the
 * result. What head has in the same way, and what only moved lines or comments, is nothing.
 */
export function changedMeanwhile({
  head,
  base,
  tip,
  plansAtBase,
  budget,
}: ChangedMeanwhile): (change: Change) => string | undefined {
  const configs = [base, tip, head].map(({ host, state }) => configOfState(host, state, budget).config);
  /** Whether the branch changed something that head does not have as well. */
  const isNew = (part: (config: KruiseConfig) => unknown): boolean => {
    const [before, newest, here] = configs.map((config) => canonicalJson(part(config) ?? null));
    return newest !== before && newest !== here;
  };
  const hasOtherSettings = isNew(settingsOf);
  return (change) => {
    const target = targetName(change);
    if (hasNewerPlan(change)) return `${tip.branch} has a newer plan of ${target}`;
    if (isOther(change)) return `${tip.branch} has changed ${target} since`;
    const { manifest } = change.head ?? {};
    if (manifest !== undefined && isNew((config) => contentOf(ruleFor(config, manifest))))
      return `the kruise.yaml of ${tip.branch} has another rule for ${target}`;
    return hasOtherSettings ? `the kruise.yaml of ${tip.branch} has other settings` : undefined;
  };

  function hasNewerPlan(change: Change): boolean {
    const path = joinPath(tip.state.plans, planPath(change));
    const newest = textAt(path);
    if (newest === undefined || newest === plansAtBase.get(change.id)?.source.text) return false;
    // One that was edited there has had no effect.
    const { plan } = readPlan({ file: path, text: newest }, budget);
    return plan !== undefined && targetId(plan) === change.id;
  }

  function isOther({ id, base: before, head: here }: Change): boolean {
    if (before === undefined || here === undefined) return false;
    const { source } = here.manifest.origin;
    const path = fromCwd(head.host, source.file).slice(head.state.root.length);
    const there = joinPath(tip.state.root, `./${path}`);
    // What a command prints has no file, and one that is not changed need not be parsed.
    const text = textAt(there);
    if (text === undefined || text === before.manifest.origin.source.text) return false;
    const ofFile = { ...tip.state, paths: [there], isFound: true };
    const newest = loadState(tip.host, ofFile, createParseCache(), budget).manifests.get(id);
    if (newest === undefined) return false;
    const object = canonicalJson(newest.object);
    return ![before, here].some(({ manifest }) => canonicalJson(manifest.object) === object);
  }

  function textAt(path: string): string | undefined {
    return tip.host.inspect(path)?.kind === 'file'
      ? readSource(tip.host, path, budget).source?.text
      : undefined;
  }
}

/** What a rule says of the targets that it matches. */
function contentOf(rule: StepRule | undefined): unknown {
  if (rule === undefined) return undefined;
  const { match: _match, ...content } = rule;
  return content;
}

/** What kruise.yaml refuses of all targets. */
function settingsOf({ unmatched, images }: KruiseConfig): unknown {
  return { unmatched: unmatched ?? null, images: images ?? null };
}
