import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { controllerName } from '../../semantics/kinds/openkruise.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { createHttpCluster } from '../api/http-cluster.ts';
import { inNamespace } from '../observe/one-namespace.ts';
import type { ProcessOptions, RuntimeProcess } from '../process.ts';
import { type Problem, problemOf } from '../problem.ts';
import { createLog } from '../report/log.ts';
import { createLogLimiter } from '../report/log-limiter.ts';
import { createRegistry, type MetricDefinition } from '../report/registry.ts';
import { type Endpoint, serve } from '../serve/serve.ts';
import type { ServedKind } from './caches.ts';
import type { Verdict } from './compare.ts';
import { createShadow, watchedPlurals, type Shadow } from './shadow.ts';
import { createWatchCoverage } from './watch-coverage.ts';

/** What is followed, for people. */
const NAMES = kinds.map(({ id }) => `${id.kind}s`).join(', ');

const metrics = {
  kruise_shadow_findings_total: {
    type: 'counter',
    help: 'Moves of OpenKruise and targets at rest, by how they compare with what would have been done.',
    labels: ['verdict'],
  },
  kruise_shadow_targets: { type: 'gauge', help: `${NAMES} that are followed.`, labels: [] },
  kruise_shadow_refused_targets: {
    type: 'gauge',
    help: 'Of these, those that would not be taken over.',
    labels: [],
  },
} as const satisfies Record<string, MetricDefinition>;

const unknown: Problem = {
  problem: `the cluster does not know ${kinds.map(({ resource }) => `${resource.plural}.${resource.group}`).join(', ')}`,
  help: 'is OpenKruise there?',
  isFinal: false,
};

const PAUSE_MS = 5_000;
/** What becomes of the comparison where a resource may not be seen, by its plural. */
const WITHOUT: Readonly<Record<string, string>> = {
  [resources.Node.plural]: `${NAMES} whose pods are spread over zones are compared as if by node alone`,
  [resources.PersistentVolumeClaim.plural]: `${NAMES} whose pods have claims are not compared`,
};
/** How often it says how it stands. */
const SUMMARY_MS = 3_600_000;

/**
 * Looks on beside OpenKruise's manager, and compares. It takes part in no election, and every write is refused before it
 * reaches a socket.
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
  let everything: readonly string[] = [];
  /** What could not be seen of targets that are not compared, in words. */
  const unseen = new Set<string>();
  const sight = createWatchCoverage(clock, () => everything);
  const quiet = createLogLimiter(log, clock);
  let shadow: Shadow | undefined;
  let obstacle: string | undefined = 'it has not reached the server yet';
  let stopped = false;
  let cancelNext = (): void => {};
  let cancelSummary = (): void => {};
  let fail: (obstacle: Problem) => void = () => {};
  const failed = new Promise<Problem>((resolve) => (fail = resolve));

  function begin(targets: readonly ServedKind[]): void {
    everything = watchedPlurals(targets);
    obstacle = undefined;
    shadow = createShadow({
      cluster,
      clock,
      random,
      policy,
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
          `it would not be taken over: it asks for ${fields.join(', ')}; leave it to ${controllerName(key)}`,
          {
            target: String(key),
          },
        ),
      onWatchLost(plural, error) {
        const { problem } = problemOf(error, connection, namespace);
        const text = `${plural} cannot be watched: ${problem}`;
        sight.lost(plural, text);
        quiet.warn(plural, `${text}; it is tried again`);
      },
      onForbidden(plural, error) {
        // Nobody waits for it: the rest is compared.
        sight.found(plural);
        const { problem } = problemOf(error, connection, namespace);
        log.warn(`${WITHOUT[plural] ?? `${NAMES} that need ${plural} are not compared`}: ${problem}`);
        if (plural !== resources.Node.plural) unseen.add(WITHOUT[plural] === undefined ? plural : 'claims');
      },
      onWatched(plural) {
        sight.found(plural);
        quiet.over(plural, `${plural} are seen again`);
      },
    });
    shadow.start();
    summarizeLater();
  }

  function prepare(): void {
    readable(cluster).then(
      (found) => {
        if (stopped) return;
        if (found.length > 0) begin(found);
        else wait(unknown);
      },
      (error: unknown) => {
        if (stopped) return;
        const found = problemOf(error, connection, namespace);
        wait(found);
      },
    );
  }

  function wait(found: Problem): void {
    obstacle = `${found.problem}; ${found.help}`;
    if (found.isFinal) return fail(found);
    log.warn(`${obstacle}; it is tried again`);
    cancelNext = clock.after(PAUSE_MS, prepare);
  }

  function summary(): string {
    const { seenMs, blindMs, why } = sight.durations();
    // What was not seen was not compared: no count says anything then.
    if (seenMs === 0) return `nothing was compared: ${why ?? obstacle ?? 'it has not seen everything yet'}`;
    const { targets, refused, forbidden } = shadow?.counts() ?? { targets: 0, refused: 0, forbidden: 0 };
    const hidden =
      forbidden === 0
        ? ''
        : `, and ${forbidden} not compared, for their ${[...unseen].join(' and ') || 'nodes'} may not be seen`;
    const minutes = (ms: number): number => Math.round(ms / 60_000);
    const blind =
      why === undefined && minutes(blindMs) === 0
        ? ''
        : `; for ${minutes(blindMs)} minutes more it did not see everything, and compared nothing` +
          (why === undefined ? '' : `: ${why}`);
    return (
      `${counts.difference} differences in ${minutes(seenMs)} minutes: ${counts.same} moves as they would have been, ` +
      `${counts['other-pod']} with another pod, ${counts.unaccounted} that may be somebody else's; ` +
      `${targets} ${NAMES}, ${refused} of them would not be taken over${hidden}${blind}`
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
    const notReady = (): string | undefined =>
      obstacle ?? (shadow?.synced === true ? undefined : 'it has not seen everything yet');
    endpoint = await serve({ ...options.endpoint, clock, notReady, metrics: render });
  }
  const { host } = new URL(connection.server);
  log.info(`kruise ${options.version} looks on as ${connection.user} on ${host} and writes nothing`, {
    policy,
    namespace,
    port: endpoint?.port,
  });
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

/** The kinds that the server has. Rejects where anything that has to be seen may not be listed. */
async function readable(cluster: Cluster): Promise<ServedKind[]> {
  const served = await Promise.all(kinds.map(async (kind) => servedAs(kind, cluster)));
  for (const resource of [resources.Pod, resources.ControllerRevision, resources.Namespace])
    await cluster.list(resource, { limit: 1 });
  return served.flatMap((each) => each ?? []);
}

/** A kind at the newest version that the server has: an older OpenKruise serves older ones. Undefined: it has none. */
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
