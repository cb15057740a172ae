local s = obj.status or {}
local over = { Succeeded = true, Reverted = true, Aborted = true, Stale = true, Pending = true }
local phase = s.phase or "Pending"
local isOff = over[phase] == true or s.digest ~= (obj.spec or {}).digest
local isPaused = s.pausedBy ~= nil
return {
  approve = { disabled = isOff or phase ~= "AwaitingApproval", displayName = "Approve this step" },
  pause = { disabled = isOff or isPaused, displayName = "Pause" },
  resume = { disabled = isOff or (phase ~= "Halted" and not isPaused), displayName = "Resume" },
  abort = { disabled = isOff, displayName = "Abort: keep the pods as they are" },
  revert = { disabled = isOff, displayName = "Revert: take the pods back" },
}
