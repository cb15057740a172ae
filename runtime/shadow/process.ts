import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { controllerName } from '../../semantics/kinds/openkruise.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { listed } from '../../semantics/values/listed.ts';
import { createHttpCluster } from '../api/http-cluster.ts';
import { inNamespace } from '../observe/one-namespace.ts';
import type { ProcessOptions, RuntimeProcess } from '../process-options.ts';
import { isForbidden, type Problem, problemOf, sentenceOf } from '../problem.ts';
import { createLog } from '../report/log.ts';
import { createLogLimiter } from '../report/log-limiter.ts';
import { createRegistry, type MetricDefinition } from '../report/registry.ts';
import type { Endpoint } from '../serve/listen.ts';
import { type Readiness, serve } from '../serve/serve.ts';
import type { ServedKind } from './caches.ts';
import type { Verdict } from './compare.ts';
import { createShadow, watchedPlurals, type Shadow } from './shadow.ts';
import { createWatchCoverage } from './watch-coverage.ts';
import { countText } from '../../semantics/values/text.ts';

/** The compared kinds, or those of them that use something, for messages. */
function namesOf(isNamed: (kind: Kind) => boolean = () => true): string {
  return listed(
    kinds.filter(isNamed).map(({ id }) => `${id.kind}s`),
    'and',
  );
}

const metrics = {
  kruise_shadow_findings_total: {
    type: 'counter',
    help: 'Changes by OpenKruise, and targets at rest, by how they compare with the dry-run decision.',
    labels: ['verdict'],
  },
  kruise_shadow_targets: { type: 'gauge', help: `${namesOf()} that are compared.`, labels: [] },
  kruise_shadow_refused_targets: {
    type: 'gauge',
    help: 'Of these, those that would not be taken over.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

const unknown: Problem = {
  problem: `the cluster does not know ${kinds.map(({ resource }) => `${resource.plural}.${resource.group}`).join(', ')}`,
  help: 'check that OpenKruise is installed',
  isFinal: false,
};

const isSpread = ({ uses }: Kind): boolean => uses.some((use) => use.of === 'Nodes' && use.why === 'Spread');
const hasClaims = ({ uses }: Kind): boolean => uses.some(({ of }) => of === 'Claims');

const NOT_SYNCED = 'the caches are not synced yet';
const PAUSE_MS = 5_000;
/** The effect on the comparison if a resource may not be listed, by its plural. */
const WITHOUT: Readonly<Record<string, string>> = {
  [resources.Node.plural]: `${namesOf(isSpread)} whose pods are spread over zones are compared by node alone`,
  [resources.PersistentVolumeClaim.plural]: `${namesOf(hasClaims)} whose pods have claims are not compared`,
};
/** How often a summary is logged. */
const SUMMARY_MS = 3_600_000;

/**
 * The runtime in shadow mode: it observes the targets that OpenKruise's manager controls, and compares. It takes part in no
 * election, and every write is refused before it reaches a socket.
 */
export async function startShadowProcess(options: ProcessOptions): Promise<RuntimeProcess> {
  const { connection, clock, random, namespace, policy } = options;
  const log = createLog({ ...options.log, clock });
  const registry = createRegistry<keyof typeof metrics>(metrics);
  const http = createHttpCluster({
    connection,
    clock,
    random,
    userAgent: `kruise-shadow/${options.version}`,
    beforeWrite() {
      throw new Error('a shadow writes nothing');
    },
  });
  const cluster = namespace === undefined ? http : inNamespace(http, clock, namespace);
  const counts: Record<Verdict, number> = { same: 0, 'other-pod': 0, difference: 0, unaccounted: 0 };
  for (const verdict of Object.keys(counts)) registry.add('kruise_shadow_findings_total', [verdict], 0);
  let required: readonly string[] = [];
  /** The needs of targets that may not be listed, for the summary. */
  const hidden = new Set<string>();
  const coverage = createWatchCoverage(clock, () => required);
  const quiet = createLogLimiter(log, clock);
  let shadow: Shadow | undefined;
  let blocker: string | undefined = 'the server has not been reached yet';
  let stopped = false;
  let cancelNext = (): void => {};
  let cancelSummary = (): void => {};
  let fail: (problem: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => (fail = resolve));

  function begin(targets: readonly ServedKind[]): void {
    required = watchedPlurals(targets);
    blocker = undefined;
    shadow = createShadow({
      cluster,
      clock,
      random,
      policy,
      namespace,
      targets,
      onFinding(key, { verdict, text }) {
        const target = String(key);
        counts[verdict] += 1;
        registry.add('kruise_shadow_findings_total', [verdict]);
        if (verdict === 'difference') log.warn(text, { target, verdict });
        else log.info(text, { target, verdict });
      },
      onRefused: (key, fields) =>
        log.warn(
          `it would not be taken over, because these fields are not supported: ${fields.join(', ')}; remove them, or keep ${controllerName(key)} for every ${key.kind} of the cluster`,
          {
            target: String(key),
          },
        ),
      onWatchLost(plural, error) {
        const { problem } = problemOf(error, connection, namespace);
        const text = `${plural} cannot be watched: ${problem}`;
        coverage.lost(plural, text);
        quiet.warn(plural, `${text}; retrying`);
      },
      onForbidden(plural, error) {
        // It counts as covered: the other targets are compared.
        coverage.found(plural);
        const { problem } = problemOf(error, connection, namespace);
        log.warn(`${WITHOUT[plural] ?? `${namesOf()} that need ${plural} are not compared`}: ${problem}`);
        if (plural !== resources.Node.plural) hidden.add(WITHOUT[plural] === undefined ? plural : 'claims');
      },
      onWatched(plural) {
        coverage.found(plural);
        quiet.over(plural, `${plural} are watched again`);
      },
    });
    shadow.start();
    summarizeLater();
  }

  function prepare(): void {
    readable(cluster).then(
      ({ served, forbidden }) => {
        if (stopped) return;
        const [first] = forbidden;
        if (served.length > 0) {
          for (const { kind, error } of forbidden) {
            const { problem } = problemOf(error, connection, namespace);
            log.warn(`${kind.id.kind}s are not compared: ${problem}`);
          }
          begin(served);
        } else wait(first === undefined ? unknown : problemOf(first.error, connection, namespace));
      },
      (error: unknown) => {
        if (stopped) return;
        const found = problemOf(error, connection, namespace);
        wait(found);
      },
    );
  }

  function wait(found: Problem): void {
    blocker = sentenceOf(found);
    if (found.isFinal) return fail(found);
    log.warn(`${blocker}; retrying`);
    cancelNext = clock.after(PAUSE_MS, prepare);
  }

  function summary(): string {
    const { watchedMs, blindMs, why } = coverage.durations();
    // Without full coverage nothing was compared: the counts have no meaning then.
    if (watchedMs === 0) return `nothing was compared: ${why ?? blocker ?? NOT_SYNCED}`;
    const { targets, refused, forbidden } = shadow?.counts() ?? { targets: 0, refused: 0, forbidden: 0 };
    const uncompared =
      forbidden === 0
        ? ''
        : `, and ${forbidden} not compared, because their ${[...hidden].join(' and ') || 'nodes'} may not be listed`;
    const minutes = (ms: number): number => Math.round(ms / 60_000);
    const blind =
      why === undefined && minutes(blindMs) === 0
        ? ''
        : `. Nothing was compared in ${countText(minutes(blindMs), 'further minute')}, because a watch was missing` +
          (why === undefined ? '' : `: ${why}`);
    return (
      `${countText(counts.difference, 'difference')} in ${countText(minutes(watchedMs), 'minute')}: ${countText(counts.same, 'change')} as expected, ` +
      `${counts['other-pod']} of another pod, ${counts.unaccounted} by an unknown writer. ` +
      `${countText(targets, 'target')}, of which ${refused} would not be taken over${uncompared}${blind}`
    );
  }

  function summarizeLater(): void {
    cancelSummary = clock.after(SUMMARY_MS, () => {
      log.info(summary());
      summarizeLater();
    });
  }

  function render(): string {
    const { targets, refused } = shadow?.counts() ?? { targets: 0, refused: 0 };
    registry.set('kruise_shadow_targets', [], targets);
    registry.set('kruise_shadow_refused_targets', [], refused);
    return registry.render();
  }

  let endpoint: Endpoint | undefined;
  if (options.endpoint !== undefined) {
    const readiness = (): Readiness => {
      const why = blocker ?? (shadow?.synced === true ? undefined : NOT_SYNCED);
      return { isReady: why === undefined, text: why ?? 'ok' };
    };
    const { port, address } = options.endpoint;
    endpoint = await serve({ port, address, clock, readiness, metrics: render });
  }
  const { host } = new URL(connection.server);
  log.info(
    `kruise ${options.version} runs in shadow mode as ${connection.user} on ${host} and writes nothing`,
    {
      policy,
      namespace,
      port: endpoint?.port,
    },
  );
  prepare();

  return {
    port: endpoint?.port,
    failed,
    async stop() {
      if (stopped) return;
      stopped = true;
      cancelNext();
      cancelSummary();
      log.info(summary());
      shadow?.stop();
      http.close();
      await endpoint?.close();
    },
  };
}

interface Readable {
  /** The kinds that the server serves, and that may be listed. */
  served: ServedKind[];
  /** Those that may not be listed. */
  forbidden: { kind: Kind; error: unknown }[];
}

/** What can be compared. Rejects if a resource that all kinds need may not be listed. */
async function readable(cluster: Cluster): Promise<Readable> {
  const found: Readable = { served: [], forbidden: [] };
  for (const kind of kinds)
    try {
      const served = await servedAs(kind, cluster);
      if (served !== undefined) found.served.push(served);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      found.forbidden.push({ kind, error });
    }
  for (const resource of [resources.Pod, resources.ControllerRevision, resources.Namespace])
    await cluster.list(resource, { limit: 1 });
  return found;
}

/** A kind at the newest served version: an older OpenKruise serves older ones. Undefined: none is served. */
async function servedAs(kind: Kind, cluster: Cluster): Promise<ServedKind | undefined> {
  for (const version of new Set([kind.resource.version, ...kind.versions])) {
    const resource = { ...kind.resource, version };
    try {
      await cluster.list(resource, { limit: 1 });
      return { kind, resource };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }
  return undefined;
}
