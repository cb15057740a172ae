import { injectorsOf, judgingKinds, recordingKinds } from '../../semantics/kinds/admitting.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kinds as registered } from '../../semantics/registry/registry.ts';
import type { Policy } from '../../semantics/policy.ts';
import { createHttpCluster } from '../api/http-cluster.ts';
import type { ProcessOptions, RuntimeProcess } from '../process-options.ts';
import { problemOf } from '../problem.ts';
import { createLogLimiter } from '../report/log-limiter.ts';
import { createLog } from '../report/log.ts';
import { createRegistry } from '../report/registry.ts';
import type { Endpoint } from '../serve/listen.ts';
import { serve } from '../serve/serve.ts';
import { type Certificate, watchCertificate } from './certificate.ts';
import { runtimeAccounts } from './configuration.ts';
import { type AdmissionMetric, admissionMetrics } from './metrics.ts';
import { WITHHELD } from './review.ts';
import { createReviews, NEW_POD_RESULTS } from './reviews.ts';
import { type ReviewServer, serveReviews } from './serve.ts';
import { createAdmissionCaches } from './sources.ts';
import { createUnreviewed } from './unreviewed.ts';

export interface AdmissionOptions extends Pick<
  ProcessOptions,
  'connection' | 'clock' | 'random' | 'version' | 'endpoint' | 'log'
> {
  /**
   * Where reviews are answered. Port 0: any that is free. `host`: the name by which API servers ask; undefined: any. `clientCa`: the
   * file with the authorities of their own certificates; undefined: they need none.
   */
  reviews: {
    port: number;
    address: string;
    certificates: string;
    host: string | undefined;
    clientCa: string | undefined;
  };
  /** Where the revisions of cluster-scoped objects are. */
  stateNamespace: string;
  /** That of the runtime: whether what is not on record needs a plan. */
  policy: Policy;
  /** Default: all. */
  kinds?: readonly Kind[];
}

export interface AdmissionProcess extends RuntimeProcess {
  /** The port of reviews; undefined: there is no certificate yet. */
  readonly reviewPort: number | undefined;
}

/**
 * The admission as a process: it answers reviews from its caches, and writes nothing but what a kind records in the status of its
 * objects. It is ready once it has a certificate and all caches are complete. Any number of them may run at the same time. Rejects if a port cannot be opened.
 */
export async function startAdmission(options: AdmissionOptions): Promise<AdmissionProcess> {
  const { connection, clock, random, reviews, kinds = registered } = options;
  const log = createLog({ ...options.log, clock });
  const quiet = createLogLimiter(log, clock);
  const registry = createRegistry<AdmissionMetric>(admissionMetrics);
  for (const result of NEW_POD_RESULTS) registry.add('kruise_admission_reviews_total', [result], 0);
  for (const reason of WITHHELD) registry.add('kruise_admission_withheld_total', [reason], 0);
  const unreviewed = createUnreviewed(registry, quiet, clock);
  const cluster = createHttpCluster({
    connection,
    clock,
    random,
    userAgent: `kruise-admission/${options.version}`,
    beforeWrite() {
      if (recordingKinds(kinds).length === 0) throw new Error('the admission writes nothing');
    },
  });
  const caches = createAdmissionCaches({
    cluster,
    clock,
    random,
    injectors: injectorsOf(kinds),
    kinds: judgingKinds(kinds),
    stateNamespace: options.stateNamespace,
    policy: options.policy,
    onError: (plural, error) =>
      quiet.warn(plural, `${plural} cannot be watched: ${problemOf(error, connection).problem}; retrying`),
    onSync() {
      const text = caches.pending === undefined ? recordsProblem() : undefined;
      if (text !== undefined) quiet.warn('records', text);
    },
    onLeftOut: ({ kind, metadata: { name } }, { path, rule }) =>
      quiet.warn(`${kind} ${name}`, `${kind} ${name} is left out: ${path.join('.')} ${rule}`),
  });
  /** What a pod gets is on record where the runtime writes it, and nowhere else. */
  function recordsProblem(): string | undefined {
    const lost = caches.unrecorded();
    return (
      lost &&
      `the revisions of ${lost.kind} ${lost.metadata.name} are not in the namespace ${options.stateNamespace}: name that of the runtime with --lease-namespace`
    );
  }

  let server: ReviewServer | undefined;
  let opening: Promise<void> | undefined;
  let stopped = false;

  const served = createReviews({
    kinds,
    caches,
    cluster,
    clock,
    random,
    accounts: runtimeAccounts([options.stateNamespace]),
    onReviewed: (result) => registry.add('kruise_admission_reviews_total', [result]),
    onWithheld({ id }, { set, reason, message }) {
      registry.add('kruise_admission_withheld_total', [reason]);
      quiet.warn(
        `${id.kind} ${set} ${reason}`,
        `${id.kind} ${set} gives new pods that it selects nothing: ${message}`,
      );
    },
    onDisruption(kind, result) {
      const reason = result.is === 'unreviewed' ? result.reason : '';
      registry.add('kruise_admission_disruptions_total', [kind, result.is, reason]);
      if (reason === 'SwitchedOff') unreviewed.add('off');
    },
    onUnrecorded(about, error) {
      unreviewed.add('unrecorded');
      quiet.warn(about, `${about}: ${problemOf(error, connection).problem}`);
    },
  });

  async function open(certificate: Certificate): Promise<void> {
    server = await serveReviews({
      ...reviews,
      certificate,
      clock,
      reviews: served,
      onUnreviewed: unreviewed.add,
    });
    log.info(`reviews are answered on port ${server.port}`);
    if (stopped) await server.close();
  }

  const files = watchCertificate({
    folder: reviews.certificates,
    host: reviews.host,
    clientCa: reviews.clientCa,
    clock,
    onChange(certificate) {
      if (server !== undefined) {
        server.renew(certificate);
        log.info('the certificate was renewed');
      } else if (opening !== undefined) {
        opening = open(certificate).catch((error: unknown) => {
          log.error(`reviews cannot be answered: ${error instanceof Error ? error.message : String(error)}`);
        });
      }
    },
    onProblem: (problem) => log.warn(problem),
  });
  // A port that cannot be opened ends the process; a certificate that comes later is waited for.
  opening = files.current === undefined ? Promise.resolve() : open(files.current);
  try {
    await opening;
  } catch (error) {
    files.stop();
    cluster.close();
    throw error;
  }

  const readiness = () => {
    const why =
      caches.pending !== undefined
        ? `${caches.pending} were not listed yet`
        : (files.problem ?? (server === undefined ? 'reviews are not answered yet' : undefined));
    // It stays ready where it refuses some: without an endpoint no API server would be answered at all.
    const but = [files.notice, unreviewed.shown(), why === undefined ? recordsProblem() : undefined].filter(
      (each) => each !== undefined,
    );
    return {
      isReady: why === undefined,
      text: why ?? (but.length === 0 ? 'ok' : `ok, but ${but.join('; ')}`),
    };
  };
  const exposition = (): string => {
    const { expires } = files;
    registry.set('kruise_admission_objects_left_out', [], caches.leftOut);
    if (expires !== undefined)
      registry.set('kruise_admission_certificate_expiry_seconds', [], (expires - clock.now()) / 1_000);
    return registry.render();
  };
  let endpoint: Endpoint | undefined;
  try {
    if (options.endpoint !== undefined) {
      const { port, address } = options.endpoint;
      endpoint = await serve({ port, address, clock, readiness, metrics: exposition });
    }
  } catch (error) {
    // The open port of reviews would keep the process alive.
    files.stop();
    await server?.close();
    cluster.close();
    throw error;
  }
  log.info(
    `kruise ${options.version} answers reviews of pods as ${connection.user} on ${new URL(connection.server).host}`,
    { port: endpoint?.port },
  );
  caches.start();

  return {
    port: endpoint?.port,
    get reviewPort() {
      return server?.port;
    },
    // Nothing that it meets is final: what is missing may come.
    failed: new Promise(() => {}),
    async stop() {
      if (stopped) return;
      stopped = true;
      files.stop();
      caches.stop();
      await opening;
      await server?.close();
      cluster.close();
      await endpoint?.close();
      log.info('stopped');
    },
  };
}
