// A video of the part of the world in sight, a picture each step that is shown: recorded by the browser, and then among the downloads.
const kinds = [["video/webm;codecs=vp9", "webm"], ["video/webm;codecs=vp8", "webm"], ["video/webm", "webm"], ["video/mp4", "mp4"]];
const most_bytes = 500e6, bits_per_second = 12e6;

export class Video {
  // told: keep(blob, ending), tell(words), changed(is it on).
  constructor(view, told) { Object.assign(this, { view, told, recorder: null }); }
  get isOn() { return !!this.recorder; }

  begin() {
    const kind = globalThis.MediaRecorder && kinds.find(([type]) => MediaRecorder.isTypeSupported(type)), { width, height } = this.view.shownPart();
    if (!kind) return this.told.tell("this browser records no video");
    if (this.canvas) return this.told.tell("the last video is not written yet");
    if (!this.view.frame || width < 2 || height < 2) return this.told.tell("there is no picture yet");
    this.canvas = document.createElement("canvas"), this.canvas.width = width - width % 2, this.canvas.height = height - height % 2; // as encoders need them
    const stream = this.canvas.captureStream(0), recorder = new MediaRecorder(stream, { mimeType: kind[0], videoBitsPerSecond: bits_per_second });
    [this.track] = stream.getVideoTracks(), this.parts = [], this.bytes = 0, this.pictures = 0, this.step = null;
    recorder.addEventListener("dataavailable", ({ data }) => this.have(data));
    recorder.addEventListener("error", () => this.end("the browser cannot record this"));
    recorder.addEventListener("stop", () => this.finish(kind));
    this.recorder = recorder, recorder.start(1000), this.told.changed(true), this.take();
  }
  have(data) {
    if (data.size) this.parts.push(data), this.bytes += data.size;
    if (this.bytes > most_bytes) this.end("the video has reached 500 MB, and ends");
  }
  end(why) {
    const { recorder } = this;
    this.recorder = null, this.told.changed(false);
    if (why) this.told.tell(why);
    if (recorder) this.stop(recorder, 30);
  }
  // Not before there is something: a recorder that is stopped before its first picture is encoded has none of them.
  stop(recorder, tries) {
    if (recorder.state === "inactive") return;
    if (this.bytes > 0 || tries === 0) return recorder.stop();
    this.track.requestFrame?.(), recorder.requestData(), setTimeout(() => this.stop(recorder, tries - 1), 100);
  }
  finish([type, ending]) {
    this.track.stop();
    if (!this.bytes) this.told.tell("the browser has recorded nothing");
    else this.told.keep(new Blob(this.parts, { type: type.split(";")[0] }), ending, this.pictures);
    this.parts = [], this.canvas = null;
  }
  toggle() { this.isOn ? this.end() : this.begin(); }

  // The view has drawn: a picture of it, unless it is of the step that was recorded last.
  take() {
    const { view, canvas } = this, step = view.frame?.step;
    if (!this.isOn || step === undefined || step === this.step) return;
    this.step = step, this.pictures++;
    const { left, top, width, height } = view.shownPart(), to = canvas.getContext("2d"), scale = Math.min(canvas.width / width, canvas.height / height);
    to.fillStyle = getComputedStyle(view.over).getPropertyValue("--well") || "#000", to.fillRect(0, 0, canvas.width, canvas.height);
    to.imageSmoothingEnabled = scale < 1;
    to.drawImage(view.picture, left, top, width, height, (canvas.width - width * scale) / 2, (canvas.height - height * scale) / 2, width * scale, height * scale);
    this.track.requestFrame?.();
  }
}
