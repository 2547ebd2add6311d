inline float twice(float x) { return factor * x; }
