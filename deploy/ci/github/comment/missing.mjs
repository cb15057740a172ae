// Ends with 0 if the other run has left no result, and with 1 if it has one, or that is not known.
const { GITHUB_API_URL, GITHUB_REPOSITORY, RUN, RESULT, TOKEN } = process.env;
const url = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/actions/runs/${RUN}/artifacts?name=${encodeURIComponent(RESULT)}`;
const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/vnd.github+json' };
let found;
try {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) });
  found = answer.ok ? (await answer.json()).total_count : `the forge answers ${answer.status}`;
} catch (error) {
  found = error.message;
}
if (found !== 0) {
  const why = typeof found === 'number' ? 'it may have expired' : String(found);
  process.stdout.write(
    `::error::the result of kruise plan could not be fetched (${why}): the comment stays as it is\n`,
  );
  process.exitCode = 1;
}
